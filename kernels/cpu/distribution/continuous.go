package distribution

import "github.com/weft-nd/weft/dtype"

// Fill makes the elements of dst, whose first has the number first in row-major order, a multiple of BlockSize, from the bits of s.
type Fill[T dtype.Float] func(dst []T, s Source, first uint64, parameters []float64)

// Continuous is a distribution of floats.
type Continuous struct {
	Float32 Fill[float32]
	Float64 Fill[float64]
}

// following returns the distribution whose elements are those of a law, rounded to the element type.
func following(rule law) Continuous { return Continuous{lawful[float32](rule), lawful[float64](rule)} }

func lawful[T dtype.Float](rule law) Fill[T] {
	return func(dst []T, s Source, first uint64, parameters []float64) {
		b := lawPool.Get().(*lawBuffers)
		defer lawPool.Put(b)
		for start := 0; start < len(dst); start += lawBatch {
			part := dst[start:min(start+lawBatch, len(dst))]
			result := b.result[:len(part)]
			rule(b, result, s, first+uint64(start), parameters)
			for i, v := range result {
				part[i] = T(v)
			}
		}
	}
}
