// Package sorting sorts keys: signed integers, to which an [Order] maps the elements of arrays so that every order of elements
// is that of their keys.
//
// [Sort] is a quicksort that divides keys where they are, vector by vector (Bramas, "A novel hybrid quicksort algorithm
// vectorized using AVX-512 on Intel Skylake", IJACSA 8(10), 2017; Wassenberg, Blacher, Giesen and Sanders, "Vectorized and
// performance-portable quicksort", Software: Practice and Experience 52(12), 2022), and ends with sorting networks. Where a
// sequence defeats the choice of pivots, and where there is no assembly, keys are sorted by their bytes, with other memory. Equal
// keys have equal bits, so the result is a function of the keys alone, whatever the method or the number of threads.
//
// [Order.Search] halves a list to find where values belong; a [Ruler] does not, where the numbers of a list are about even.
//
// All functions may be called from any goroutine, on different memory.
package sorting
