//go:build !amd64 || noasm

package calculus

// storeFence is never called, because features.Best is features.Portable.
func storeFence() { panic("calculus: no assembly") }
