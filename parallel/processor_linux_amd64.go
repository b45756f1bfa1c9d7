//go:build !noasm

package parallel

// readsProcessor reports whether the processor has the instruction of readProcessor.
func readsProcessor() bool

// readProcessor returns the number of the processor that the calling goroutine runs on.
func readProcessor() int
