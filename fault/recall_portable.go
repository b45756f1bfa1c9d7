//go:build !amd64 || noasm

package fault

// recall knows nothing: Here looks for the call path.
func recall(int) (e *entry, key int) { return nil, 0 }
