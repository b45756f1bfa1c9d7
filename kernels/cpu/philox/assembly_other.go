//go:build !amd64 || noasm

package philox

// fillBatches is never called, because features.Best is features.Portable.
func fillBatches([]uint32, *State) { panic("philox: no assembly") }
