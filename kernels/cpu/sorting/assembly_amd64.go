//go:build !noasm

package sorting

import "unsafe"

// The functions of this file run where features.Best is features.AVX512. Lists have one element or more.

// as returns the address of the first element as that of a number of the same size.
func as[To, From any](x []From) *To { return (*To)(unsafe.Pointer(unsafe.SliceData(x))) }

func short[K Key](dst, src []K) {
	if isWide[K]() {
		short64AVX512(as[int64](dst), as[int64](src), len(src))
	} else {
		short32AVX512(as[int32](dst), as[int32](src), len(src))
	}
}

func fastPartition[K Key](keys []K, pivot K) (low int) {
	if isWide[K]() {
		return partition64AVX512(as[int64](keys), len(keys), int64(pivot))
	}
	return partition32AVX512(as[int32](keys), len(keys), int32(pivot))
}

func encode[B Bits](dst, src []B, o *Order[B]) {
	if bitsOf[B]() == 64 {
		encode64AVX512(as[int64](dst), as[int64](src), len(src), int64(o.mask), int64(o.shift), int64(o.flip))
	} else {
		encode32AVX512(as[int32](dst), as[int32](src), len(src), int32(o.mask), int32(o.shift), int32(o.flip))
	}
}

func decode[B Bits](dst, src []B, o *Order[B]) {
	if bitsOf[B]() == 64 {
		decode64AVX512(as[int64](dst), as[int64](src), len(src), int64(o.mask), int64(o.shift), int64(o.flip))
	} else {
		decode32AVX512(as[int32](dst), as[int32](src), len(src), int32(o.mask), int32(o.shift), int32(o.flip))
	}
}

func fastSelect[B Bits](numbers []int32, src []B, o *Order[B], bound B) (found int) {
	size := bitsOf[B]()
	if size == 64 {
		return select64AVX512(as[int32](numbers), as[int64](src), len(src), int64(o.mask), int64(o.shift), int64(o.flip), int64(bound))
	}
	upper := func(x B) int32 { return int32(x) << (32 - size) }
	mask, shift, flip, most := upper(o.mask), upper(o.shift), upper(o.flip), upper(bound)
	switch size {
	case 8:
		return select8AVX512(as[int32](numbers), as[int8](src), len(src), mask, shift, flip, most)
	case 16:
		return select16AVX512(as[int32](numbers), as[int16](src), len(src), mask, shift, flip, most)
	}
	return select32AVX512(as[int32](numbers), as[int32](src), len(src), mask, shift, flip, most)
}
