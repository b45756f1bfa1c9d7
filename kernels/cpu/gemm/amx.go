package gemm

import (
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// Where the processor has AMX, products of int8 and of bfloat16 are computed by its matrix unit. A tile is 16 lines of 64 bytes: of
// A rows with their elements along k, and of B words of 4 bytes that are adjacent along k, of 16 columns. A panel is two lines of tiles,
// 32 rows of A or columns of B, and has two tiles at every step of 64 bytes along k. B is packed so, and A where its tiles cannot be
// read from its rows; what k lacks of a step is zero, and what a panel lacks is undefined, since the sums that it gives are dropped.
const (
	tileLines  = 16
	tileBytes  = 1024
	panelLines = 2 * tileLines
	stepBytes  = 64
	sumPanels  = 4         // panels of A that are multiplied at a time
	amxBytes   = 512 << 10 // panels of A that are used together: a quarter of the second cache
	blockSteps = 16        // of a panel of B that the first cache keeps while panels of A meet it, one after the other
	mostSums   = amxBytes / (2 * tileBytes * 2 * blockSteps) / sumPanels
)

// sums are those of panels of A and one panel of B.
type sums [sumPanels * panelLines][panelLines]uint32

// amxSpare is memory of a thread.
type amxSpare struct {
	sums   [mostSums]sums // of panels of A that are used together
	turned [panelLines][panelLines]uint32
}

var amxSpares = sync.Pool{New: func() any { return new(amxSpare) }}

// amx is the kernels of one element type.
type amx struct {
	packer
	rate     float64
	multiply func(c, a, b *byte, cRow, panels, steps, aRow, aStep, aPanel, adds int)
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
	turnsC  bool // the result is transposed when it is written, since columns of C are what is adjacent
}

// orient makes p a product whose C has adjacent columns, or one that is written transposed: columns of B that are adjacent along k can be
// read where they lie as rows of A, which saves packing them.
func (p *amxProduct) orient() {
	if p.n > 1 && p.c.ColumnStride != 1 {
		p.turnRound()
	}
	const turning = 8 // bytes of a matrix that are packed in the time in which an element of the result is transposed
	if p.c.ColumnStride == 1 && p.b.RowStride == 1 && p.k*p.size%stepBytes == 0 && p.k*p.size*(p.n-p.m) > turning*p.m*p.n {
		p.turnRound()
		p.turnsC = true
	}
}

func (p *amxProduct) steps() int { return pieces(p.k*p.size, stepBytes) }

// firstPacked is the first row of A that is packed. Rows before it, of whole panels and steps, are read where they lie.
func (p *amxProduct) firstPacked() int {
	if p.a.ColumnStride == 1 && p.k*p.size%stepBytes == 0 {
		return p.m / panelLines * panelLines
	}
	return 0
}

// bytes returns how large what is packed of the matrices of a product is, and how many products are packed at a time.
func (p *amxProduct) bytes() (a, b, products int) {
	panel := 2 * tileBytes * p.steps()
	if rows := p.m - p.firstPacked(); rows > 0 {
		a = pieces(rows, panelLines) * panel
	}
	if !p.streams() {
		b = pieces(p.n, panelLines) * panel
	}
	return a, b, min(max(1, p.count), max(1, packedBytes/max(1, a+b)))
}

// scratch is for a product that is oriented.
func (p *amxProduct) scratch() int {
	if p.m == 0 || p.n == 0 || p.k == 0 {
		return 0
	}
	a, b, products := p.bytes()
	return products * (a + b)
}

// run is for a product that is oriented.
func (p *amxProduct) run(t *parallel.Thread, temporary unsafe.Pointer) {
	if p.m == 0 || p.n == 0 {
		return
	}
	if p.k == 0 {
		p.clear()
		return
	}
	if temporary == nil {
		temporary = unsafe.Pointer(unsafe.SliceData(make([][8]uint64, p.scratch()/64)))
	}
	part := newAMXPart(p, t, temporary)
	for part.first = 0; part.first < max(1, p.count); part.first += part.atOnce {
		part.run(t)
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
