//go:build !noasm

package sorting

import (
	"unsafe"

	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// The functions of this file run where features.Best is features.AVX2 or above. Lists have one element or more.

// as returns the address of the first element as that of a number of the same size.
func as[To, From any](x []From) *To { return (*To)(unsafe.Pointer(unsafe.SliceData(x))) }

func hasAVX512() bool { return features.Best >= features.AVX512 }

func short[K Key](dst, src []K) {
	switch {
	case isWide[K]() && hasAVX512():
		short64AVX512(as[int64](dst), as[int64](src), len(src))
	case isWide[K]():
		short64AVX2(as[int64](dst), as[int64](src), len(src))
	case hasAVX512():
		short32AVX512(as[int32](dst), as[int32](src), len(src))
	default:
		short32AVX2(as[int32](dst), as[int32](src), len(src))
	}
}

func fastPartition[K Key](keys []K, pivot K) (low int) {
	switch {
	case isWide[K]() && hasAVX512():
		return partition64AVX512(as[int64](keys), len(keys), int64(pivot))
	case isWide[K]():
		return partition64AVX2(as[int64](keys), len(keys), int64(pivot))
	case hasAVX512():
		return partition32AVX512(as[int32](keys), len(keys), int32(pivot))
	}
	return partition32AVX2(as[int32](keys), len(keys), int32(pivot))
}

// descends reports whether one of the first keys is above the next one, and how many it has looked at.
func descends[K Key](keys []K) (done int, found bool) {
	together := 4 * 32 / int(unsafe.Sizeof(K(0))) // four vectors
	if hasAVX512() {
		together *= 2
	}
	if done = (len(keys) - 1) &^ (together - 1); done <= 0 {
		return 0, false
	}
	switch {
	case isWide[K]() && hasAVX512():
		found = descends64AVX512(as[int64](keys), done) != 0
	case isWide[K]():
		found = descends64AVX2(as[int64](keys), done) != 0
	case hasAVX512():
		found = descends32AVX512(as[int32](keys), done) != 0
	default:
		found = descends32AVX2(as[int32](keys), done) != 0
	}
	return done, found
}

// taken returns how many of n elements, whose keys have so many bytes, assembly takes: those of whole vectors, as AVX2
// has no masks for the others.
func taken(n, bytes int) int {
	if hasAVX512() {
		return n
	}
	return n &^ (32/bytes - 1)
}

// encode returns how many elements it has encoded, the first ones.
func encode[B Bits](dst, src []B, o *Order[B]) (done int) {
	isWide := bitsOf[B]() == 64
	done = taken(len(src), bitsOf[B]()/8)
	switch {
	case isWide && hasAVX512():
		encode64AVX512(as[int64](dst), as[int64](src), done, int64(o.mask), int64(o.shift), int64(o.flip))
	case isWide:
		encode64AVX2(as[int64](dst), as[int64](src), done, int64(o.mask), int64(o.shift), int64(o.flip))
	case hasAVX512():
		encode32AVX512(as[int32](dst), as[int32](src), done, int32(o.mask), int32(o.shift), int32(o.flip))
	default:
		encode32AVX2(as[int32](dst), as[int32](src), done, int32(o.mask), int32(o.shift), int32(o.flip))
	}
	return done
}

// decode returns how many keys it has decoded, the first ones.
func decode[B Bits](dst, src []B, o *Order[B]) (done int) {
	isWide := bitsOf[B]() == 64
	done = taken(len(src), bitsOf[B]()/8)
	switch {
	case isWide && hasAVX512():
		decode64AVX512(as[int64](dst), as[int64](src), done, int64(o.mask), int64(o.shift), int64(o.flip))
	case isWide:
		decode64AVX2(as[int64](dst), as[int64](src), done, int64(o.mask), int64(o.shift), int64(o.flip))
	case hasAVX512():
		decode32AVX512(as[int32](dst), as[int32](src), done, int32(o.mask), int32(o.shift), int32(o.flip))
	default:
		decode32AVX2(as[int32](dst), as[int32](src), done, int32(o.mask), int32(o.shift), int32(o.flip))
	}
	return done
}

// fastSelect looks at the first elements, and returns how many, as well.
func fastSelect[B Bits](numbers []int32, src []B, o *Order[B], bound B) (done, found int) {
	size := bitsOf[B]()
	done = taken(len(src), max(4, size/8))
	if size == 64 {
		mask, shift, flip, most := int64(o.mask), int64(o.shift), int64(o.flip), int64(bound)
		if hasAVX512() {
			return done, select64AVX512(as[int32](numbers), as[int64](src), done, mask, shift, flip, most)
		}
		return done, select64AVX2(as[int32](numbers), as[int64](src), done, mask, shift, flip, most)
	}
	upper := func(x B) int32 { return int32(x) << (32 - size) }
	mask, shift, flip, most := upper(o.mask), upper(o.shift), upper(o.flip), upper(bound)
	switch {
	case size == 8 && hasAVX512():
		found = select8AVX512(as[int32](numbers), as[int8](src), done, mask, shift, flip, most)
	case size == 8:
		found = select8AVX2(as[int32](numbers), as[int8](src), done, mask, shift, flip, most)
	case size == 16 && hasAVX512():
		found = select16AVX512(as[int32](numbers), as[int16](src), done, mask, shift, flip, most)
	case size == 16:
		found = select16AVX2(as[int32](numbers), as[int16](src), done, mask, shift, flip, most)
	case hasAVX512():
		found = select32AVX512(as[int32](numbers), as[int32](src), done, mask, shift, flip, most)
	default:
		found = select32AVX2(as[int32](numbers), as[int32](src), done, mask, shift, flip, most)
	}
	return done, found
}
