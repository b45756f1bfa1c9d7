//go:build !amd64 || noasm

package features

const assembly = false

func vendor() (first, second, third uint32) { return 0, 0, 0 }
