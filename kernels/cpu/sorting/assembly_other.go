//go:build !amd64 || noasm

package sorting

// The functions of this file are never called, because features.Best is features.Portable.

func short[K Key]([]K, []K)                                           { panic(noAssembly) }
func fastPartition[K Key]([]K, K) (low int)                           { panic(noAssembly) }
func descends[K Key]([]K) (done int, found bool)                      { panic(noAssembly) }
func encode[B Bits]([]B, []B, *Order[B]) (done int)                   { panic(noAssembly) }
func decode[B Bits]([]B, []B, *Order[B]) (done int)                   { panic(noAssembly) }
func fastSelect[B Bits]([]int32, []B, *Order[B], B) (done, found int) { panic(noAssembly) }

const noAssembly = "sorting: no assembly"
