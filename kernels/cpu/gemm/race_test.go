//go:build race

package gemm

// racing tells that the race detector slows everything down, and that sync.Pool forgets at random.
const racing = true
