package gemm

import "github.com/weft-nd/weft/kernels/cpu/internal/features"

// rowsAhead are rows of B whose elements are adjacent along n, as wide as a panel. The kernel of a tile fetches so many of them at once
// in every fetchedSteps steps.
type rowsAhead struct {
	from         uintptr
	step         int // from row to row
	left, atOnce int
}

const (
	fewRows    = 4                // are fetched at once where there are several tiles: the first two fetch all
	moreRows   = 2 * fewRows      // where there is one
	stepsAhead = 4 * fetchedSteps // between the first row of a tile and those that it fetches for itself
)

// rowsToCome returns what the tiles of a panel fetch, one after the other. These are the rows that the unit reads, or packs, next: they
// lie in memory far from each other, so that a processor does not fetch them before they are read. Of a panel that is read where it
// lies, and that no tile before could fetch, they are its own rows, unless a single tile would then have no time for the next ones. B
// starts at start. It is for products that fetch rows.
func (j *job[T]) rowsToCome(u unit, panel, block int, start uintptr) (soon, later rowsAhead) {
	row := j.product.B.RowStride * j.bSize
	isCrowded := crowdsSecondCache(row, j.longest(), j.packB)
	if j.packB && (isCrowded || !j.part.packsPanels) {
		return rowsAhead{}, rowsAhead{}
	}
	together := 1
	if j.packB {
		together = j.ownPanels
	}
	rowsOf := func(panel, block, first, atOnce int) rowsAhead {
		from, to := j.block(block)+first, j.block(block+1)
		return rowsAhead{start + uintptr((j.part.firstColumn+panel*j.width)*j.bSize+from*row), row, to - from - fetchedSteps, atOnce}
	}
	isSingle, atOnce := j.tilesOf(u.lastRow-u.firstRow) == 1, fewRows
	if isSingle {
		atOnce = moreRows
	}
	nextPanel, nextBlock := panel+together, block
	if nextPanel >= u.lastPanel {
		nextPanel, nextBlock = u.firstPanel+(panel-u.firstPanel)%together, block+1
	}
	hasNext := nextBlock < j.part.lastBlock && !isCrowded
	if hasNext {
		later = rowsOf(nextPanel, nextBlock, 0, atOnce)
	}
	isFirst := panel == u.firstPanel && block == j.part.firstBlock
	if (isFirst || isCrowded) && !j.packB && !(isSingle && hasNext) {
		soon = rowsOf(panel, block, stepsAhead, moreRows)
	}
	return soon, later
}

// crowdsSecondCache tells whether so many rows so many bytes apart share so few sets of the second cache that those of a panel would push
// each other out before they are read. What is read where it lies shares them with what the processor fetches by itself.
func crowdsSecondCache(step, rows int, packs bool) bool {
	const wayBytes = 128 << 10
	ways, lowestBit := 8, step&-step
	if features.Intel {
		ways = 16
	}
	if packs {
		ways *= 2
	}
	return step == 0 || wayBytes/max(64, lowestBit)*ways < 4*rows
}

// tilesOf returns into how many tiles so many rows of a panel are cut.
func (j *job[T]) tilesOf(rows int) int {
	_, height := j.family.widest(j.width / j.family.lanes)
	return pieces(rows, min(height, j.tileRows))
}
