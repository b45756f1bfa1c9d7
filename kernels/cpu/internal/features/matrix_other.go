//go:build !linux || !amd64 || noasm

package features

func lend() bool { return false }
