package cpu

import (
	"encoding/binary"
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// shuffle makes vectors of elements that lie near one another, in another order or more than once. That order returns after a
// period of vectors.
type shuffle struct {
	size, lanes int    // of an element in bytes; elements of a vector
	advance     int    // elements by which one vector is ahead of the one before
	orders      []byte // which elements each vector of a period takes
	offsets     []int  // bytes from the start of the period to the elements from which each vector takes its own
	stride      int    // bytes from one period to the next
}

// newShuffle returns the shuffle whose vector number v of a period has the element from(i) behind the source of the period as its
// element number v*advance+i, for all i that are less than advance. A period has stride elements in the source.
func newShuffle(size, advance, period, stride int, from func(i int) int) *shuffle {
	s := &shuffle{size: size, lanes: lanesOf(size), advance: advance, stride: stride * size}
	for v := range period {
		first := from(v * advance)
		for lane := range advance {
			first = min(first, from(v*advance+lane))
		}
		s.offsets = append(s.offsets, first*size)
		for lane := range s.lanes {
			order := 0
			if lane < advance {
				order = from(v*advance+lane) - first
			}
			switch {
			case size < 4 && features.Best == features.AVX2:
				for part := range size {
					s.orders = append(s.orders, byte(order*size+part))
				}
				continue
			case size < 4:
				s.orders = binary.LittleEndian.AppendUint16(s.orders, uint16(order))
				continue
			}
			for word := range size / 4 {
				s.orders = binary.LittleEndian.AppendUint32(s.orders, uint32(order*size/4+word))
			}
		}
	}
	return s
}

// lanesOf returns how many elements of so many bytes a vector of a shuffle has.
func lanesOf(size int) int {
	if size < 4 && features.Best == features.AVX2 {
		return 16 / size
	}
	return 32 << (features.Best - features.AVX2) / max(size, 2)
}

// run makes vectors at dst, each of which reads a whole vector of the source.
func (s *shuffle) run(dst, src unsafe.Pointer, vectors int) {
	shuffleVectors(s.size, (*byte)(dst), (*byte)(src), &s.orders[0], &s.offsets[0], len(s.offsets), s.stride, s.advance*s.size, vectors)
}

// part writes the first count elements of vector number v.
func (s *shuffle) part(dst, src unsafe.Pointer, v, count int) {
	var last [64]byte
	period, at := v/len(s.offsets), v%len(s.offsets)
	orders := &s.orders[at*len(s.orders)/len(s.offsets)]
	shuffleVectors(s.size, &last[0], (*byte)(unsafe.Add(src, period*s.stride)), orders, &s.offsets[at], 1, 0, 0, 1)
	copy(slice[byte](dst, count*s.size), last[:])
}

// expandable is the number of times from which on each of several elements is better repeated one by one.
const expandable = 64

// expansions are the shuffles that repeat each element, by level, binary logarithm of the size, and number of times.
var expansions [2][5][expandable]atomic.Pointer[shuffle]

// expansion returns the shuffle that repeats each element of size bytes so many times, less than expandable.
func expansion(size, times int) *shuffle {
	known := &expansions[features.Best-features.AVX2][bits.TrailingZeros(uint(size))][times]
	s := known.Load()
	if s == nil {
		lanes := lanesOf(size)
		period := times / divisor(times, lanes)
		s = newShuffle(size, lanes, period, period*lanes/times, func(i int) int { return i / times })
		known.Store(s)
	}
	return s
}

// divisor returns the greatest common divisor.
func divisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// repeatEach writes each of count elements so many times, from 2 to less than expandable, to dst. Behind the elements at src there is
// a vector that may be read.
func repeatEach(dst, src unsafe.Pointer, count, times, size int) {
	s := expansion(size, times)
	vectors, rest := count*times/s.lanes, count*times%s.lanes
	if vectors > 0 {
		s.run(dst, src, vectors)
	}
	if rest > 0 {
		s.part(unsafe.Add(dst, vectors*s.lanes*size), src, vectors, rest)
	}
}

// Elements that are so many elements apart are picked by shuffles; so are those in the opposite order.
const (
	closest  = 2
	farthest = 4
)

// picks are the shuffles of elements that are apart, by level, binary logarithm of the size, and distance; 0 is the opposite order.
var picks [2][5][farthest + 1]atomic.Pointer[shuffle]

// pick copies elements of size bytes that are stride bytes apart to dst, and returns how many of the count it has copied: the first.
func pick(dst, src unsafe.Pointer, stride, count, size int) int {
	apart := stride / size
	opposite := apart == -1
	if !opposite && (apart < closest || apart > farthest) || stride%size != 0 || !hasShuffle() {
		return 0
	}
	lanes := lanesOf(size)
	if count < 2*lanes {
		return 0
	}
	if opposite {
		apart = 0
	}
	advance, vectors := lanes, count/lanes
	if !opposite {
		advance = (lanes-1)/apart + 1
		// Neither may a vector be written behind the last element, nor one be read behind that of the source.
		vectors = min((count-lanes)/advance, ((count-1)*apart+1-lanes)/(advance*apart)) + 1
	}
	if advance < 2 {
		return 0
	}
	known := &picks[features.Best-features.AVX2][bits.TrailingZeros(uint(size))][apart]
	s := known.Load()
	if s == nil {
		if opposite {
			s = newShuffle(size, lanes, 1, -lanes, func(i int) int { return -i })
		} else {
			s = newShuffle(size, advance, 1, advance*apart, func(i int) int { return i * apart })
		}
		known.Store(s)
	}
	s.run(dst, src, vectors)
	return vectors * advance
}
