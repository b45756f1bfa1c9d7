//go:build !linux || !amd64 || noasm

package parallel

func readsProcessor() bool { return false }

func readProcessor() int { return 0 }
