//go:build !amd64 || noasm

package features

const assembly = false
