package gemm

import (
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// amxPart is some products of a batch that are packed, and then multiplied.
type amxPart struct {
	*amxProduct
	memory         unsafe.Pointer // what is packed of A and of B, of each product
	first, atOnce  int            // products
	aBytes, bBytes int
	firstRow       int // of A that is packed
	left, right    amxOperand

	panelsA, panelsB int
	chunks, together int // panels of A that are used together
}

func newAMXPart(p *amxProduct, t *parallel.Thread, memory unsafe.Pointer) *amxPart {
	q := &amxPart{amxProduct: p, memory: memory, firstRow: p.firstPacked()}
	q.aBytes, q.bBytes, q.atOnce = p.bytes()
	q.left = amxOperand{operand{&p.packer, p.a.RowStride * p.size, p.a.ColumnStride * p.size, false}, p.m - q.firstRow, p.k}
	q.right = amxOperand{operand{&p.packer, p.b.ColumnStride * p.size, p.b.RowStride * p.size, true}, p.n, p.k}

	q.panelsA, q.panelsB = pieces(p.m, panelLines), pieces(p.n, panelLines)
	products := min(q.atOnce, max(1, p.count))
	q.together = max(1, amxBytes/q.panelBytes())
	if wanted := pieces(4*t.NumThreads(), products*q.panelsB); q.panelsA/q.together < wanted { // so that all threads end at the same time
		q.together = pieces(q.panelsA, wanted)
	}
	q.chunks = pieces(q.panelsA, q.together)
	return q
}

func (p *amxPart) panelBytes() int { return 2 * tileBytes * p.steps() }

func (p *amxPart) packedA(product int) unsafe.Pointer {
	return unsafe.Add(p.memory, product*(p.aBytes+p.bBytes))
}

func (p *amxPart) packedB(product int) unsafe.Pointer {
	return unsafe.Add(p.packedA(product), p.aBytes)
}

func (p *amxPart) run(t *parallel.Thread) {
	products := min(p.atOnce, max(1, p.count)-p.first)
	p.pack(t, products)
	if p.streams() {
		groups := pieces(p.panelsB, p.streamedPanels())
		runUnits(t, products*groups, 0.1*float64(p.panelBytes()*p.streamedPanels()), p.streamUnits)
		return
	}
	work := 2 * float64(panelLines*panelLines) * float64(min(p.together, p.panelsA)) * float64(p.k) / p.rate
	runUnits(t, products*p.chunks*p.panelsB, work, p.multiplyUnits)
}

// pack packs what is packed of so many products before they are multiplied.
func (p *amxPart) pack(t *parallel.Thread, products int) {
	var unitsA, unitsB int
	if p.aBytes > 0 {
		unitsA = p.left.units()
	}
	if p.bBytes > 0 {
		unitsB = p.right.units()
	}
	units := products * (unitsA + unitsB)
	if units == 0 {
		return
	}
	runUnits(t, units, 0.1*float64(products*(p.aBytes+p.bBytes))/float64(units), func(_ *parallel.Thread, lo, hi int) {
		for number := lo; number < hi; number++ {
			product, unit := number/(unitsA+unitsB), number%(unitsA+unitsB)
			a, b, _ := p.start(p.first + product)
			if unit < unitsA {
				p.left.packUnit(p.packedA(product), unsafe.Add(a, p.firstRow*p.left.lineStep), unit)
			} else {
				p.right.packUnit(p.packedB(product), b, unit-unitsA)
			}
		}
	})
}

// multiplyUnits computes the units from lo to before hi: a chunk of A by a panel of B each.
func (p *amxPart) multiplyUnits(t *parallel.Thread, lo, hi int) {
	spare := amxSpares.Get().(*amxSpare)
	defer amxSpares.Put(spare)
	for number := lo; number < hi; number++ {
		product, chunk, panel := number/(p.chunks*p.panelsB), number/p.panelsB%p.chunks, number%p.panelsB
		b := unsafe.Add(p.packedB(product), panel*p.panelBytes())
		first, last, blocks := chunk*p.together, min(p.panelsA, (chunk+1)*p.together), p.blocks(p.together)
		for block := range blocks {
			step, next := p.steps()*block/blocks, p.steps()*(block+1)/blocks
			for from := first; from < last; from += sumPanels {
				s := &spare.sums[0]
				if blocks > 1 {
					s = &spare.sums[(from-first)/sumPanels]
				}
				p.multiplyPanels(spare, s, product, from, min(sumPanels, last-from), panel, unsafe.Add(b, step*2*tileBytes), step, next-step)
			}
		}
	}
}

// blocks is into how many the steps are cut that so many panels of A have in common. Sums that need not be rounded are best written to C
// at once.
func (p *amxPart) blocks(together int) int {
	if !p.rounded || together < sumPanels || p.steps() < 2*blockSteps {
		return 1
	}
	return pieces(p.steps(), blockSteps)
}

// multiplyPanels multiplies panels of A by so many steps of one of B, which are packed at b. With the last of them the result is written.
func (p *amxPart) multiplyPanels(spare *amxSpare, s *sums, product, from, panels, panel int, b unsafe.Pointer, step, steps int) {
	c, rows, columns := p.block(product, from, panels, panel)
	if !p.rounded && !p.turnsC && rows == panels*panelLines && columns == panelLines {
		p.compute(c, p.c.RowStride*p.resultBytes(), product, from, panels, b, step, steps)
		return
	}
	p.compute(unsafe.Pointer(s), int(unsafe.Sizeof(s[0])), product, from, panels, b, step, steps)
	if step+steps == p.steps() {
		p.storePanels(spare, s, product, from, panels, panel)
	}
}

// storePanels writes the sums of panels of A and one of B to C.
func (p *amxPart) storePanels(spare *amxSpare, s *sums, product, from, panels, panel int) {
	c, rows, columns := p.block(product, from, panels, panel)
	if p.turnsC {
		p.storeTurned(c, spare, s, rows, columns)
	} else {
		p.store(c, s[:rows], columns, p.c.RowStride*p.resultBytes())
	}
}

// block returns where the sums of panels of A and one of B belong, and how many rows and columns there are.
func (p *amxPart) block(product, from, panels, panel int) (c unsafe.Pointer, rows, columns int) {
	_, _, c = p.start(p.first + product)
	row, column := from*panelLines, panel*panelLines
	c = unsafe.Add(c, (row*p.c.RowStride+column*p.c.ColumnStride)*p.resultBytes())
	return c, min(panels*panelLines, p.m-row), min(panelLines, p.n-column)
}

// compute writes the sums of panels of A and one of B, or adds those of so many steps to what those before gave.
func (p *amxPart) compute(c unsafe.Pointer, cRow, product, from, panels int, b unsafe.Pointer, step, steps int) {
	firstPacked := p.firstRow / panelLines
	if inPlace := min(panels, firstPacked-from); inPlace > 0 {
		a, _, _ := p.start(p.first + product)
		aRow := p.left.lineStep
		p.multiply((*byte)(c), (*byte)(unsafe.Add(a, from*panelLines*aRow+step*stepBytes)), (*byte)(b), cRow, inPlace, steps, aRow, stepBytes, panelLines*aRow, step)
		from, panels, c = from+inPlace, panels-inPlace, unsafe.Add(c, inPlace*panelLines*cRow)
	}
	if panels > 0 {
		a := unsafe.Add(p.packedA(product), (from-firstPacked)*p.panelBytes()+step*2*tileBytes)
		p.multiply((*byte)(c), (*byte)(a), (*byte)(b), cRow, panels, steps, stepBytes, 2*tileBytes, p.panelBytes(), step)
	}
}

// store writes so many columns of sums to rows of C so many bytes apart.
func (p *amxPart) store(c unsafe.Pointer, rows [][panelLines]uint32, columns, step int) {
	if p.rounded {
		p.round((*byte)(c), (*byte)(unsafe.Pointer(&rows[0])), len(rows), step, 1<<columns-1)
		return
	}
	for i := range rows {
		copy(unsafe.Slice((*uint32)(unsafe.Add(c, i*step)), columns), rows[i][:])
	}
}

// storeTurned writes rows of so many columns of sums to columns of C.
func (p *amxPart) storeTurned(c unsafe.Pointer, spare *amxSpare, s *sums, rows, columns int) {
	const line = panelLines * wordBytes
	for row := 0; row < rows; row += panelLines {
		for half := 0; half < panelLines; half += tileLines {
			p.turn((*byte)(unsafe.Pointer(&spare.turned[0][half])), (*byte)(unsafe.Pointer(&s[row+half])), line, line, panelLines/tileLines)
		}
		p.store(unsafe.Add(c, row*p.resultBytes()), spare.turned[:columns], min(panelLines, rows-row), p.c.ColumnStride*p.resultBytes())
	}
}
