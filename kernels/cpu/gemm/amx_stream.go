package gemm

import (
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// Few rows meet a large B by rows only once. It is packed in parts that the second cache keeps until they are multiplied: so many terms of
// so many bytes of columns. Their sums stay there, too.
const (
	streamTerms  = 512
	streamRow    = 512                    // bytes
	mostStreamed = streamRow / panelLines // panels
)

// amxStream is memory of a thread.
type amxStream struct {
	packed [streamTerms * streamRow]byte
	sums   [mostStreamed]sums
}

var amxStreams = sync.Pool{New: func() any { return new(amxStream) }}

// streamedPanels are the panels of B of a part of it.
func (p *amxProduct) streamedPanels() int { return streamRow / (panelLines * p.size) }

// streams tells whether B is packed in parts. Of bytes, a line of a row is read four times before the next one: rows that share a set of the
// first cache would push each other out.
func (p *amxProduct) streams() bool {
	return p.m <= sumPanels*panelLines && p.b.ColumnStride == 1 && p.k > streamTerms && p.k*p.n*p.size > streamBytes &&
		(p.size > 1 || !aliased(p.b.RowStride, false))
}

// streamUnits computes the units from lo to before hi: all rows by some panels of B each.
func (p *amxPart) streamUnits(_ *parallel.Thread, lo, hi int) {
	s, spare := amxStreams.Get().(*amxStream), amxSpares.Get().(*amxSpare)
	defer amxStreams.Put(s)
	defer amxSpares.Put(spare)
	together := p.streamedPanels()
	groups := pieces(p.panelsB, together)
	for number := lo; number < hi; number++ {
		product, first := number/groups, number%groups*together
		p.stream(s, product, first, min(together, p.panelsB-first))
		for i := range min(together, p.panelsB-first) {
			p.storePanels(spare, &s.sums[i], product, 0, p.panelsA, first+i)
		}
	}
}

// stream sets the sums of all rows by so many panels of B.
func (p *amxPart) stream(s *amxStream, product, first, count int) {
	_, b, _ := p.start(p.first + product)
	steps := streamTerms * p.size / stepBytes
	packed := unsafe.Pointer(&s.packed)
	for step := 0; step < p.steps(); step += steps {
		p.right.packPart(packed, b, first*panelLines, count*panelLines, step*stepBytes/p.size, streamTerms, steps)
		for i := range count {
			b := unsafe.Add(packed, i*steps*2*tileBytes)
			p.compute(unsafe.Pointer(&s.sums[i]), int(unsafe.Sizeof(s.sums[i][0])), product, 0, p.panelsA, b, step, min(steps, p.steps()-step))
		}
	}
}
