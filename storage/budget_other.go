//go:build !linux && !darwin && !windows

package storage

// memoryOfHost returns zero: how much memory the process may use is not asked for here.
func memoryOfHost() int64 { return 0 }
