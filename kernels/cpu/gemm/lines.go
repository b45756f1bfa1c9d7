package gemm

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/parallel"
)

// Lines are dot products of each of the lines of A and a vector, of integers that are adjacent along both: products of
// matrices of which one has a single row or column. Sums wrap round, so that the order of terms does not matter.
type Lines struct {
	Size, Width int            // bytes of an element of the operands and of the result
	Count, K    int            // lines, and elements of each
	A, X, C     unsafe.Pointer // the first elements
	ARow, CRow  int            // bytes from line to line
	Products    int            // products of matrices, each of so many lines
	Offsets     func(product int) (a, x, c int)
}

// lineBlock is how many terms are summed in one go: the runtime cannot stop a goroutine in assembly.
const lineBlock = 1 << 15

// lineNanoseconds is about how long a term takes, by the logarithm of its bytes, and aroundLine what a line takes besides.
var lineNanoseconds = [4]float64{0.05, 0.05, 0.15, 0.4}

const aroundLine = 10

// leastLine is from how many elements of a line on this pays, but for bytes, whose other products take longer.
const leastLine = 16

// Pays reports whether lines are so long that this takes less time than a product of matrices.
func (p *Lines) Pays() bool { return p.Size == 1 || p.K >= leastLine }

// Run computes the sums. Offsets are in bytes; if there is one product, they may be nil.
func (p Lines) Run(t *parallel.Thread) {
	dot, cost := lineOf(p.Size), lineNanoseconds[bits.TrailingZeros(uint(p.Size))]
	blocks := (p.K + lineBlock - 1) / lineBlock
	if p.Count*p.Products == 1 && blocks > 1 {
		var total atomic.Int64
		a, x, c := p.line(0)
		t.ForCost(blocks, cost*lineBlock, func(_ *parallel.Thread, lo, hi int) {
			first := lo * lineBlock
			total.Add(p.sum(dot, unsafe.Add(a, first*p.Size), unsafe.Add(x, first*p.Size), min(p.K, hi*lineBlock)-first))
		})
		store(c, p.Width, total.Load())
		return
	}
	t.ForCost(p.Count*p.Products, aroundLine+cost*float64(p.K), func(_ *parallel.Thread, lo, hi int) {
		for number := lo; number < hi; number++ {
			a, x, c := p.line(number)
			store(c, p.Width, p.sum(dot, a, x, p.K))
		}
	})
}

// line returns where a line, its vector and its result are.
func (p *Lines) line(number int) (a, x, c unsafe.Pointer) {
	var aOffset, xOffset, cOffset int
	if p.Offsets != nil {
		aOffset, xOffset, cOffset = p.Offsets(number / p.Count)
		number %= p.Count
	}
	return unsafe.Add(p.A, aOffset+number*p.ARow), unsafe.Add(p.X, xOffset), unsafe.Add(p.C, cOffset+number*p.CRow)
}

// sum returns the sum of count terms.
func (p *Lines) sum(dot integerLine, a, x unsafe.Pointer, count int) (total int64) {
	for ; count > lineBlock; count -= lineBlock {
		total += dot((*byte)(a), (*byte)(x), lineBlock)
		a, x = unsafe.Add(a, lineBlock*p.Size), unsafe.Add(x, lineBlock*p.Size)
	}
	return total + dot((*byte)(a), (*byte)(x), count)
}

// store writes a sum to an integer of so many bytes.
func store(c unsafe.Pointer, width int, sum int64) {
	switch width {
	case 1:
		*(*int8)(c) = int8(sum)
	case 2:
		*(*int16)(c) = int16(sum)
	case 4:
		*(*int32)(c) = int32(sum)
	default:
		*(*int64)(c) = sum
	}
}

// integerLine returns the sum of the products of count integers, of which only the low bits are right: as many as an
// element has, of bytes 32.
type integerLine func(x, y *byte, count int) (sum int64)

// portableLines are those of integers of 1, 2, 4 and 8 bytes.
var portableLines = [4]integerLine{sumLine[int8], sumLine[int16], sumLine[int32], sumLine[int64]}

func lineOf(size int) integerLine {
	of := &portableLines
	if features.Best > features.Portable {
		of = &assemblyLines
	}
	return of[bits.TrailingZeros(uint(size))]
}

func sumLine[I int8 | int16 | int32 | int64](x, y *byte, count int) (sum int64) {
	a, b := unsafe.Slice((*I)(unsafe.Pointer(x)), count), unsafe.Slice((*I)(unsafe.Pointer(y)), count)
	for i, v := range a {
		sum += int64(v) * int64(b[i])
	}
	return sum
}
