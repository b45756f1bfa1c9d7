package cpu

import (
	"fmt"
	"unsafe"
)

// takeMasked writes the elements of x, of size bytes, where mask is true to dst, as the elements [start, end), which are as many.
func takeMasked(size int, dst unsafe.Pointer, start, end int, x unsafe.Pointer, mask []byte) {
	switch size {
	case 1:
		compress(slice[uint8](dst, end)[start:], slice[uint8](x, len(mask)), mask)
	case 2:
		compress(slice[uint16](dst, end)[start:], slice[uint16](x, len(mask)), mask)
	case 4:
		compress(slice[uint32](dst, end)[start:], slice[uint32](x, len(mask)), mask)
	case 8:
		compress(slice[uint64](dst, end)[start:], slice[uint64](x, len(mask)), mask)
	case 16:
		compress(slice[[2]uint64](dst, end)[start:], slice[[2]uint64](x, len(mask)), mask)
	default:
		panic(fmt.Sprintf("cpu: elements of %d bytes", size))
	}
}

// compress writes the elements of x where mask is true to dst, which has as many. Where the mask changes often, each element is
// written, and overwritten by the next if the mask is not true: there is no branch to be predicted.
func compress[T any](dst, x []T, mask []byte) {
	first := func(of []T) *byte { return (*byte)(unsafe.Pointer(unsafe.SliceData(of))) }
	i, done := compressElements(int(unsafe.Sizeof(x[0])), first(dst), first(x), unsafe.SliceData(mask), len(mask), len(dst))
	for ; i+8 <= len(mask) && done+8 <= len(dst); i += 8 {
		from, chosen := x[i:i+8:i+8], mask[i:i+8:i+8]
		to := dst[done : done+8 : done+8]
		switch *(*uint64)(unsafe.Pointer(&chosen[0])) {
		case 0:
		case allTrue:
			copy(to, from)
			done += 8
		default:
			next := 0
			for j := range 8 {
				to[next&7] = from[j]
				next += int(chosen[j])
			}
			done += next
		}
	}
	for ; i < len(mask); i++ {
		if mask[i] != 0 {
			dst[done] = x[i]
			done++
		}
	}
}

// putMasked writes the elements [start, end) of x, of size bytes, or the first for all of them, to those of dst where mask is true,
// which are as many.
func putMasked(size int, dst unsafe.Pointer, mask []byte, x unsafe.Pointer, start, end int, repeated bool) {
	switch size {
	case 1:
		put[uint8](dst, mask, x, start, end, repeated)
	case 2:
		put[uint16](dst, mask, x, start, end, repeated)
	case 4:
		put[uint32](dst, mask, x, start, end, repeated)
	case 8:
		put[uint64](dst, mask, x, start, end, repeated)
	case 16:
		put[[2]uint64](dst, mask, x, start, end, repeated)
	default:
		panic(fmt.Sprintf("cpu: elements of %d bytes", size))
	}
}

func put[T any](dst unsafe.Pointer, mask []byte, x unsafe.Pointer, start, end int, repeated bool) {
	if repeated {
		replace(slice[T](dst, len(mask)), mask, *(*T)(x))
	} else {
		placeChosen(slice[T](dst, len(mask)), mask, slice[T](x, end)[start:])
	}
}

// replace writes v to the elements of dst where mask is true.
func replace[T any](dst []T, mask []byte, v T) {
	dst = dst[:len(mask)]
	for i, set := range mask {
		w := dst[i]
		if set != 0 {
			w = v
		}
		dst[i] = w
	}
}

// placeChosen writes the elements of x, one after the other, to those of dst where mask is true, which are as many.
func placeChosen[T any](dst []T, mask []byte, x []T) {
	done, i := 0, 0
	for ; i+8 <= len(mask) && done+8 <= len(x); i += 8 {
		to, chosen := dst[i:i+8:i+8], mask[i:i+8:i+8]
		from := x[done : done+8 : done+8]
		switch *(*uint64)(unsafe.Pointer(&chosen[0])) {
		case 0:
		case allTrue:
			copy(to, from)
			done += 8
		default:
			next := 0
			for j := range 8 {
				v, w := to[j], from[next&7]
				if chosen[j] != 0 {
					v = w
				}
				to[j] = v
				next += int(chosen[j])
			}
			done += next
		}
	}
	for ; i < len(mask); i++ {
		if mask[i] != 0 {
			dst[i] = x[done]
			done++
		}
	}
}
