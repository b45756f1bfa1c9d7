package gemm

import (
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// Where the processor has AMX, products of int8 and of bfloat16 are computed by its matrix unit. A tile is 16 lines of 64 bytes: of
// A rows with their elements along k, and of B words of 4 bytes that are adjacent along k, of 16 columns. A panel is two lines of tiles,
// 32 rows of A or columns of B, and has two tiles at every step of 64 bytes along k. All of A and B is packed so; what k lacks of a
// step is zero, and what a panel lacks is undefined, since the sums that it gives are dropped.
const (
	tileLines  = 16
	tileBytes  = 1024
	panelLines = 2 * tileLines
	sumPanels  = 4         // panels of A that are multiplied at a time
	amxBytes   = 512 << 10 // panels of A that are used together: a quarter of the second cache
)

// sums are those of panels of A and one panel of B.
type sums [sumPanels * panelLines][panelLines]uint32

var sumsPool = sync.Pool{New: func() any { return new(sums) }}

// amx is the kernels of one element type.
type amx struct {
	packer
	rate     float64
	multiply func(c, a, b *byte, cRow, panels, steps int)
	round    func(dst, src *byte, rows, dstRow int, mask uint64) // nil if sums stay as they are
}

// amxProduct is a batch of products C = A*B. The elements of C have 4 bytes, or 2 if they are rounded.
type amxProduct struct {
	*amx
	m, n, k int
	a, b, c Matrix
	count   int
	offsets func(product int) (a, b, c int)
	rounded bool
}

func (p *amxProduct) steps() int { return pieces(p.k*p.size, 64) }

// bytes returns how large the packed matrices of a product are, and how many products are packed at a time.
func (p *amxProduct) bytes() (a, b, products int) {
	panel := 2 * tileBytes * p.steps()
	a, b = pieces(p.m, panelLines)*panel, pieces(p.n, panelLines)*panel
	return a, b, min(max(1, p.count), max(1, packedBytes/(a+b)))
}

func (p *amxProduct) scratch() int {
	if p.m == 0 || p.n == 0 || p.k == 0 {
		return 0
	}
	a, b, products := p.bytes()
	return products * (a + b)
}

func (p *amxProduct) run(t *parallel.Thread, temporary unsafe.Pointer) {
	if p.m == 0 || p.n == 0 {
		return
	}
	if p.n > 1 && p.c.ColumnStride != 1 {
		p.turnRound()
	}
	if p.k == 0 {
		p.clear()
		return
	}
	if temporary == nil {
		temporary = unsafe.Pointer(unsafe.SliceData(make([][8]uint64, p.scratch()/64)))
	}
	_, _, atOnce := p.bytes()
	for first := 0; first < max(1, p.count); first += atOnce {
		p.runPart(t, temporary, first, min(atOnce, max(1, p.count)-first))
	}
}

// turnRound makes p the product of the transposed matrices.
func (p *amxProduct) turnRound() {
	p.m, p.n = p.n, p.m
	p.a, p.b, p.c = p.b.Transposed(), p.a.Transposed(), p.c.Transposed()
	if offsets := p.offsets; offsets != nil {
		p.offsets = func(product int) (int, int, int) {
			a, b, c := offsets(product)
			return b, a, c
		}
	}
}

// start returns where the matrices of a product start.
func (p *amxProduct) start(product int) (a, b, c unsafe.Pointer) {
	a, b, c = p.a.Start, p.b.Start, p.c.Start
	if p.offsets != nil {
		toA, toB, toC := p.offsets(product)
		a, b, c = unsafe.Add(a, toA*p.size), unsafe.Add(b, toB*p.size), unsafe.Add(c, toC*p.resultBytes())
	}
	return a, b, c
}

func (p *amxProduct) resultBytes() int {
	if p.rounded {
		return 2
	}
	return 4
}

func (p *amxProduct) clear() {
	for product := range max(1, p.count) {
		_, _, c := p.start(product)
		for i := range p.m {
			clear(unsafe.Slice((*byte)(unsafe.Add(c, i*p.c.RowStride*p.resultBytes())), p.n*p.resultBytes()))
		}
	}
}

// runPart packs some products, and multiplies them.
func (p *amxProduct) runPart(t *parallel.Thread, temporary unsafe.Pointer, first, products int) {
	aBytes, bBytes, _ := p.bytes()
	steps := p.steps()
	packedA := func(product int) unsafe.Pointer { return unsafe.Add(temporary, product*(aBytes+bBytes)) }
	packedB := func(product int) unsafe.Pointer { return unsafe.Add(temporary, product*(aBytes+bBytes)+aBytes) }

	left := amxOperand{operand{&p.packer, p.a.RowStride * p.size, p.a.ColumnStride * p.size, false}, p.m, p.k}
	right := amxOperand{operand{&p.packer, p.b.ColumnStride * p.size, p.b.RowStride * p.size, true}, p.n, p.k}
	unitsA, unitsB := left.units(), right.units()
	units := products * (unitsA + unitsB)
	runUnits(t, units, 0.1*float64(products*(aBytes+bBytes))/float64(units), func(_ *parallel.Thread, lo, hi int) {
		for number := lo; number < hi; number++ {
			product, unit := number/(unitsA+unitsB), number%(unitsA+unitsB)
			a, b, _ := p.start(first + product)
			if unit < unitsA {
				left.packUnit(packedA(product), a, unit)
			} else {
				right.packUnit(packedB(product), b, unit-unitsA)
			}
		}
	})

	panelsA, panelsB := pieces(p.m, panelLines), pieces(p.n, panelLines)
	together := max(1, amxBytes/(2*tileBytes*steps))
	if wanted := pieces(4*t.NumThreads(), products*panelsB); panelsA/together < wanted { // so that all threads end at the same time
		together = pieces(panelsA, wanted)
	}
	chunks := pieces(panelsA, together)
	work := 2 * float64(panelLines*panelLines) * float64(min(together, panelsA)) * float64(p.k) / p.rate
	cRow := p.c.RowStride * p.resultBytes()
	runUnits(t, products*chunks*panelsB, work, func(_ *parallel.Thread, lo, hi int) {
		sums := sumsPool.Get().(*sums)
		defer sumsPool.Put(sums)
		for number := lo; number < hi; number++ {
			product, chunk, panel := number/(chunks*panelsB), number/panelsB%chunks, number%panelsB
			_, _, c := p.start(first + product)
			b := (*byte)(unsafe.Add(packedB(product), panel*2*tileBytes*steps))
			for from, to := chunk*together, min(panelsA, (chunk+1)*together); from < to; from += sumPanels {
				a := (*byte)(unsafe.Add(packedA(product), from*2*tileBytes*steps))
				panels, row, column := min(sumPanels, to-from), from*panelLines, panel*panelLines
				rows, columns := min(panels*panelLines, p.m-row), min(panelLines, p.n-column)
				c := unsafe.Add(c, row*cRow+column*p.resultBytes())
				if !p.rounded && rows == panels*panelLines && columns == panelLines {
					p.multiply((*byte)(c), a, b, cRow, panels, steps)
				} else {
					p.multiply((*byte)(unsafe.Pointer(sums)), a, b, int(unsafe.Sizeof(sums[0])), panels, steps)
					p.store(c, sums, rows, columns)
				}
			}
		}
	})
}

// store writes sums to rows and columns of C.
func (p *amxProduct) store(c unsafe.Pointer, s *sums, rows, columns int) {
	step := p.c.RowStride * p.resultBytes()
	if p.rounded {
		p.round((*byte)(c), (*byte)(unsafe.Pointer(s)), rows, step, 1<<columns-1)
		return
	}
	for i := range rows {
		copy(unsafe.Slice((*uint32)(unsafe.Add(c, i*step)), columns), s[i][:])
	}
}
