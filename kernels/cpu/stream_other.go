//go:build !amd64 || noasm

package cpu

// The functions of this file are never called, because features.Best is features.Portable.

func addRow32(*float32, *float32, int) { panic(noAssembly) }
func addRow64(*float64, *float64, int) { panic(noAssembly) }
func streamRow(*byte, *byte, int)      { panic(noAssembly) }
func streamZeros(*byte, int)           { panic(noAssembly) }
func storeFence()                      { panic(noAssembly) }

func copyRows(dst, src *byte, offsets *int, count, stride, bytes int) { panic(noAssembly) }
