//go:build !noasm

package features

const assembly = true
