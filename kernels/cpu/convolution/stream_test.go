package convolution

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// linesOf returns so many elements from the beginning of a line of the cache on.
func linesOf(count int) []float32 {
	memory := make([]float32, count+cacheLine/4)
	return memory[-int(uintptr(unsafe.Pointer(&memory[0])))&(cacheLine-1)/4:][:count]
}

// A result that is too large for the caches goes past them; that of one image alone does not.
func TestStreamedResultsAreThoseOfImagesAlone(t *testing.T) {
	if best[float32]() == portableFloat32 {
		t.Skip("nothing goes past the caches without assembly")
	}
	r := rand.New(rand.NewPCG(11, 1))
	const filters, rows = 42, 224
	weights, bias := linesOf(filters*4), linesOf(filters)
	for columns := rows; columns < rows+4; columns += 3 { // rows of whole lines, and not
		if testing.Short() && columns != rows {
			continue
		}
		s := Shape{2, 1, 1, filters, [3]Axis{NoAxis, axis(rows+1, 2, 1, 1, 0, 0), axis(columns+1, 2, 1, 1, 0, 0)}}
		data := linesOf(s.Batch * s.data())
		for _, values := range [][]float32{data, weights, bias} {
			for i := range values {
				values[i] = 2*r.Float32() - 1
			}
		}
		plane := rows * columns
		run := func(s Shape, data []float32, bias Tensor) []float32 {
			result := linesOf(s.Batch * filters * plane)
			o := &Operands{
				Tensor{unsafe.Pointer(&data[0]), [5]int{s.data(), s.data(), s.data(), columns + 1, 1}},
				Tensor{unsafe.Pointer(&result[0]), [5]int{filters * plane, plane, plane, columns, 1}},
				Tensor{unsafe.Pointer(&weights[0]), [5]int{4, 4, 4, 2, 1}}, bias,
			}
			memory := linesOf(ForwardScratch[float32](&s, o, 2) / 4)
			Forward[float32](pools[2].Thread(), &s, o, 2, unsafe.Pointer(&memory[0]))
			return result
		}
		for _, bias := range []Tensor{{}, {Start: unsafe.Pointer(&bias[0]), Strides: [5]int{1}}} {
			features.Each(func(level features.Level) {
				if level == features.Portable {
					return // It has no other stores.
				}
				one := s
				one.Batch = 1
				require.True(t, forwardPass[float32](&s, &Operands{}, 2).streams)
				require.False(t, forwardPass[float32](&one, &Operands{}, 2).streams)
				all := run(s, data, bias)
				for image := range s.Batch {
					alone := run(one, data[image*s.data():], bias)
					require.True(t, slices.Equal(alone, all[image*filters*plane:][:len(alone)]), "image %d of rows of %d with %v", image, columns, level)
				}
			})
		}
	}
}
