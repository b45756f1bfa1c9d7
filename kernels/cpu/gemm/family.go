package gemm

import (
	"math/bits"
	"unsafe"

	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// tile is the argument of a kernel, which computes a part of C from the rows of A and the columns of B that it needs;
// the generator of the kernels knows its layout up to beta. Strides are in bytes; kernels of a single row use some
// fields otherwise. Next may be no address of ours.
type tile[T Float] struct {
	depth, rows int
	a, b, c     unsafe.Pointer
	aRow, aStep int // from row to row, and along k
	bStep, cRow int
	mask        uint64  // the lanes in use of the last vector of a row
	next        uintptr // what is fetched meanwhile; 0 if that is nothing
	step        int     // from column to column where columns are fetched, or from row to row, and otherwise 0
	rowsAtOnce  int     // where rows are fetched, and otherwise 0
	alpha, beta T
	ahead       *Ahead    // what next is of
	columns     columns   // what next is of before all else
	panel       addresses // or this if nothing is ahead: the rest of the next packed panel
	// Rows of B that the tiles of a panel fetch before that.
	soon, later rowsAhead
}

// kernel is assembly for tiles of one width. Its argument is a *tile: as *byte it is the same for all element types.
type kernel func(tile *byte)

// widths is how many kernels a family has: for 1, 2, 4 and 8 vectors.
const widths = 4

// family is the kernels of one instruction set and element type.
type family[T Float] struct {
	kernels *[widths]kernel // nil for portable, or where there is none for so many vectors
	heights *[widths]int    // the most rows of their tiles
	fours   kernel          // of four columns; nil if there is none, see fours.go
	turned  turnedKernel
	lanes   int     // elements in a vector
	rate    float64 // floating-point operations in a nanosecond, roughly, to tell whether sharing pays
	sliding bool    // masks are offsets into a table of lanes, not bits
	pack    func(dst, src *byte, rows, panels, vectors, srcRow, dstRow, panelStep int)
	turn    func(dst, src *byte, dstStep, srcStep, count int)
	limit   func(rounds int)

	rows      *[sources]rowKernels              // by the elements of B; nil where there is no assembly
	dot       func(sums, x, y *byte, count int) // adds products to the sums of chains; see chains.go
	finishing finishing
	portable  func(t *tile[T], a, c unsafe.Pointer, rows, columns int) // multiplies a panel where there is no assembly
	words     *words                                                   // nil if elements of A and B are those of C
	integers  bool                                                     // in place of T
	narrower  *family[T]                                               // turns what has fewer lines than a vector has elements; may be nil
}

// The portable families have panels of portableColumns vectors of one lane.
var (
	portableFloat32 = &family[float32]{lanes: 1, rate: 1, portable: multiplyPortable[float32]}
	portableFloat64 = &family[float64]{lanes: 1, rate: 1, portable: multiplyPortable[float64]}
	portableInt32   = &family[float32]{lanes: 1, rate: 1, portable: multiplyIntegers[float32, int32], integers: true}
	portableInt64   = &family[float64]{lanes: 1, rate: 1, portable: multiplyIntegers[float64, int64], integers: true}
	portableInt8    = &family[float32]{lanes: 1, rate: 1, portable: multiplyQuadsPortable, words: &words{packer: packer{perWord: 4, size: 1}}}
)

// family is that of the product's elements.
func (p *Product[T]) family() *family[T] {
	switch p.elements {
	case integers:
		return bestIntegers[T]()
	case int8s:
		return any(familyFor(features.Best, portableInt8, avx2Int8, avx512Int8)).(*family[T])
	case bfloat16s:
		return any(avx512BFloat16).(*family[T])
	}
	return best[T]()
}

// best returns the family of features.Best.
func best[T Float]() *family[T] {
	var zero T
	if _, single := any(zero).(float32); single {
		return any(familyFor(features.Best, portableFloat32, avx2Float32, avx512Float32)).(*family[T])
	}
	return any(familyFor(features.Best, portableFloat64, avx2Float64, avx512Float64)).(*family[T])
}

// bestIntegers is best for integers as large as T.
func bestIntegers[T Float]() *family[T] {
	var zero T
	if _, single := any(zero).(float32); single {
		return any(familyFor(features.Best, portableInt32, avx2Int32, avx512Int32)).(*family[T])
	}
	return any(familyFor(features.Best, portableInt64, avx2Int64, avx512Int64)).(*family[T])
}

func familyFor[T Float](level features.Level, portable, avx2, avx512 *family[T]) *family[T] {
	switch level {
	case features.AVX512:
		return avx512
	case features.AVX2:
		return avx2
	}
	return portable
}

// widest returns the widest tile for so many vectors: its logarithm, and its height.
func (f *family[T]) widest(vectors int) (width, height int) {
	width = bits.Len(uint(vectors)) - 1
	return width, f.heights[width]
}

// vectors is the width of a panel of B for so many rows: that of the widest tile that is so high, or of the highest one.
func (f *family[T]) vectors(rows int) int {
	if f.kernels == nil {
		return portableColumns
	}
	for width := widths - 1; width > 1; width-- {
		if rows <= f.heights[width] {
			return 1 << width
		}
	}
	return 2
}

// mask returns the mask for the last vector of so many elements.
func (f *family[T]) mask(elements int) uint64 {
	last := (elements-1)&(f.lanes-1) + 1 // lanes is a power of two.
	if f.sliding {
		var zero T
		return uint64((f.lanes - last) * int(unsafe.Sizeof(zero)))
	}
	return 1<<last - 1
}

// PanelColumns returns how many columns of C products of so many rows compute together; few compute twice as many.
func PanelColumns[T Float](rows int) int {
	f := best[T]()
	return f.vectors(rows) * f.lanes
}

// Nanoseconds returns roughly how long one thread takes for a product with so many floating-point operations.
func Nanoseconds[T Float](operations int64) float64 {
	return float64(operations) / best[T]().rate
}
