package gemm

import (
	"math"
	"unsafe"

	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// Sizes that fit a first cache of 32 KB or more, a second one of 1 MB, and a third one of 16 MB or more.
const (
	depth            = 512       // of a block of k
	chunkBytes       = 448 << 10 // of a block of A that are used together: half of the second cache
	directRows       = 128       // B is used where it lies if there are no more rows than this
	manyRows         = 1024      // B is packed, whatever its size, if as many rows of A as this are used where they lie
	alternatingBytes = 1 << 20   // of A and of B from which on rows of A that alternate between two places of the first cache are packed
	deepPanel        = 256       // blocks of k from which on panels of B are larger than the first cache: such rows of B are packed from nearBytes on
	lowHeight        = 6         // of tiles that read B so often that a copy of such rows of B pays, too, from lowRows of A on
	lowRows          = 192
	nearBytes        = 256 << 10 // blocks of A and B that are larger are used one after the other
	turnedDepth      = 256       // columns of A that are no shorter are turned to rows: a tile of many short ones is far apart in memory
	gapBytes         = 64        // after a packed row, lest rows fall on the same sets of the first cache
	streamRows       = 4         // with fewer rows of A the processor reads so far ahead that fetching B does not pay
	aliasedRows      = 8         // whose lines all share a set of the first cache fill it: it has so many ways, or twelve
	aliasedColumns   = 128       // of B from which on a copy of such rows of A pays, if there are few of them
	crowdedStep      = 8192      // between rows of A so far apart that those of a block share few sets of the second cache, and are packed for broad tiles, too
)

// Panels of broadVectors vectors are for products of at least broadRows rows, one more than a tile has, in tiles of
// leastHeight rows or more.
const (
	broadWidth   = 2
	broadVectors = 1 << broadWidth
	broadRows    = 15
	leastHeight  = 4
	broadBytes   = 32 << 10 // of a panel of float32 at most
	frugalRows   = 64       // all products of so many rows have broad panels where instructions are what tiles wait for
)

// waitsForInstructions tells whether tiles are waited for until their instructions are decoded: for each multiply-add a broad one, of six
// rows, has 1.4 of them, and a high one, of fourteen, 1.6.
var waitsForInstructions = features.Intel

// hasTwelveWays tells whether a set of the first cache has places for nearly as many lines as the highest tiles have rows, as those of
// Intel's processors have since Ice Lake: lower tiles would take longer.
var hasTwelveWays = features.Intel

// joinedBytes are of rows of several panels that a unit packs at a time for itself: each row of B may be on a page of its own. On Intel's
// processors it takes longer to pack more than two panels of a block of rows that share a set of the first cache.
var joinedBytes = joinedOn(features.Intel)

func joinedOn(intel bool) int {
	if intel {
		return 256
	}
	return 512
}

// What tests make smaller.
var (
	packedBytes = 8 << 20   // packed at a time of A, and of B
	directBytes = 2 << 20   // a matrix of up to this size is used where it lies as well
	turnedBytes = 128 << 10 // columns of a smaller A are used as they are
	streamBytes = 512 << 10 // rows of a B that is larger, and used where it lies, are fetched before tiles read them
)

// plan is how a product is computed: what is packed, and in which blocks. It depends on the shape, the strides and the family.
type plan struct {
	m, n, k, size  int
	width          int // of a panel of B, in elements
	blocks         int // of k
	chunkRows      int // rows of A that are used together
	packA, packB   bool
	tileRows       int  // of a tile at most
	keepsB         bool // B stays in the second cache
	fetchesRows    bool // of B that are read or packed next, from beyond the second cache; see rows_ahead.go
	turnsB         bool // tiles transpose B as they read it; see turned.go
	fetchesColumns bool // of B that are packed next; see columns_ahead.go
	joinsPanels    bool // of rows of B that are packed together
	turnA          bool // A, whose columns are adjacent, is packed by rows
	isRow          bool // a single row of floats; see row.go
	bSize          int  // of an element of B
	// What is packed at a time, or all that there is where nothing is packed: so many products, and of them so many rows of
	// A, columns of B (whole panels but at the end), and blocks of k.
	products, rows, columns, depthBlocks int
	// The bytes of one product's packed part, and of sums that are rounded when all blocks of k are added to them.
	aBytes, bBytes, sumBytes int
	extraRows                int // of a panel of words
	ownPanels                int // that a unit packs at a time for itself
}

// setPlan makes g the plan of a product. It is filled in where it lies: for little products a copy would be felt.
func setPlan[T Float](g *plan, p *Product[T], f *family[T]) {
	size := int(unsafe.Sizeof(p.Alpha))
	g.m, g.n, g.k, g.size = p.M, p.N, p.K, size
	g.blocks = pieces(p.K, depth)
	g.chunkRows = chunkBytes / (depth * size)
	aBytes, bBytes := p.M*p.K*size, p.K*p.N*size
	g.keepsB = g.blocks == 1 && bBytes <= chunkBytes // whole rows of A meet it
	g.isRow, g.bSize = p.isRow(), p.Source.size(size)
	g.sumBytes, g.extraRows = 0, 0
	sharesSet := aliased(p.A.RowStride*size, false)
	if g.tileRows = math.MaxInt; p.keepsA && sharesSet && !hasTwelveWays {
		g.tileRows = aliasedRows
	}
	g.width = f.vectors(p.M) * f.lanes
	isBroad := p.M >= broadRows && p.isBroad(f, aBytes, bBytes)
	if isBroad {
		g.width = broadVectors * f.lanes
	}
	switch g.turnsB = p.turnsB(f); {
	case f.words != nil:
		g.packA, g.turnA, g.packB = true, true, true
		g.extraRows = f.words.panelRows()
		if p.rounds && g.blocks > 1 {
			g.sumBytes = p.M * roundUp(p.N, g.width) * size
		}
	case g.turnsB:
		g.width = f.lanes
		g.packA, g.turnA, g.packB = sharesSet && p.M >= aliasedRows && p.N >= aliasedColumns && aBytes <= packedBytes/2, false, false
	default:
		choosePacked(g, p, f, isBroad)
	}
	isLarge := bBytes > streamBytes
	g.fetchesColumns = isLarge && g.packB && p.B.RowStride == 1 && f.kernels != nil && f.words == nil
	g.joinsPanels = g.packB && p.B.ColumnStride == 1 && f.words == nil
	g.fetchesRows = isLarge && (!g.packB && !g.turnsB && !g.isRow || g.joinsPanels) && p.M >= streamRows && f.kernels != nil && p.Source == OfProduct
	g.products = p.count()
	g.setParts()
}

// choosePacked sets what is packed of a product whose elements are not joined to words, and whose tiles do not transpose B.
func choosePacked[T Float](g *plan, p *Product[T], f *family[T], isBroad bool) {
	aBytes, bBytes, aRow := p.M*p.K*g.size, p.K*p.N*g.size, p.A.RowStride*g.size
	byColumns := p.A.RowStride == 1 && p.A.ColumnStride != 1
	isAlternating, meetsPanels := min(aBytes, bBytes) >= alternatingBytes, p.M > 1 && p.N > g.width

	isSpread := isBroad && aRow%crowdedStep != 0
	isFarApart := aBytes > directBytes && !byColumns && !g.keepsB && !isSpread
	g.packA = !p.keepsA && meetsPanels && (isFarApart || !isBroad && aliased(aRow, isAlternating) || aliased(p.A.ColumnStride*g.size, false))
	isFar := aBytes >= nearBytes || g.longest() >= turnedDepth && aBytes >= turnedBytes
	g.turnA = byColumns && f.turn != nil && (g.packA || isFar && meetsPanels)
	g.packA = g.packA || g.turnA

	isDeep := g.longest() > deepPanel && min(aBytes, bBytes) >= nearBytes
	readsOften := p.M >= lowRows && f.isLow()
	isReadAgain := p.M > 16 || bBytes > streamBytes && f.isCut(p.M)
	g.packB = p.Source != OfProduct || p.N > 1 && p.B.ColumnStride != 1 ||
		p.M > directRows && bBytes > directBytes || p.M >= manyRows && p.N > g.width && !g.packA ||
		isReadAgain && aliased(p.B.RowStride*g.size, isDeep || readsOften || isAlternating)
	g.packB = g.packB && !g.isRow
}

// setParts sets how much is packed at a time.
func (g *plan) setParts() {
	g.rows, g.columns, g.depthBlocks = g.m, g.n, g.blocks
	g.aBytes, g.bBytes = 0, 0
	if !g.packA && !g.packB {
		if !g.turnsB && min(g.m, g.n) > 2*g.width/3 && g.longest()*(g.m+g.n)*g.size > nearBytes {
			g.depthBlocks = 1 // All units meet the same block of A and B while the second cache has it.
		}
		return
	}
	g.columns = roundUp(g.n, g.width)
	g.ownPanels = 1
	if g.joinsPanels {
		g.ownPanels = max(1, joinedBytes/(g.width*g.size))
	}
	if g.measure(); g.aBytes+g.bBytes > packedBytes {
		g.depthBlocks = 1
		row := g.longest() * g.size
		if g.packB {
			g.columns = min(g.columns, max(1, packedBytes/row/g.width)*g.width)
		}
		if g.packA {
			g.rows = min(g.rows, max(1, packedBytes/row/g.chunkRows)*g.chunkRows)
		}
		g.measure()
	}
	if g.rows < g.m || g.columns < g.n || g.depthBlocks < g.blocks {
		g.products = 1
	} else {
		g.products = min(g.products, max(1, packedBytes/(g.aBytes+g.bBytes)))
	}
}

// isBroad tells whether panels are of broadVectors vectors. Tiles that are so wide have few rows: fewer elements of A are read, and
// their lines stay in the first cache wherever they lie. That matters to float64, of which a line of A is few steps; to
// float32 it does where the panel of B stays there as well. Rows of B that alternate between two places of the cache, and are
// too few for a copy to pay, come from the second one for every tile, and so less often for high tiles.
func (p *Product[T]) isBroad(f *family[T], aBytes, bBytes int) bool {
	if f.heights == nil || f.heights[broadWidth] < leastHeight {
		return false
	}
	if waitsForInstructions && p.M >= frugalRows && (p.A.ColumnStride == 1 || p.N > broadVectors*f.lanes) { // Adjacent columns of A are turned for two panels.
		return true
	}
	if unsafe.Sizeof(p.Alpha) == 4 {
		return p.N == broadVectors*f.lanes && bBytes <= broadBytes
	}
	return aBytes <= directBytes && (min(aBytes, bBytes) >= alternatingBytes || !aliased(p.B.RowStride*8, true))
}

// isLow tells whether the highest tiles are low: those of AVX2 are.
func (f *family[T]) isLow() bool { return f.heights != nil && f.heights[1] <= lowHeight }

// isCut tells whether so many rows are more than one tile has.
func (f *family[T]) isCut(rows int) bool { return f.heights != nil && rows > f.heights[1] }

// Blocks returns into how many blocks a sum of so many terms is cut; each has chains of its own, see the package's documentation.
func Blocks(terms int) int { return pieces(terms, depth) }

// BlockEnd returns the term behind the last of a block; that of block -1 is the first term.
func BlockEnd(terms, block int) int { return terms * (block + 1) / Blocks(terms) }

// measure sets the sizes of the packed parts.
func (g *plan) measure() {
	steps := min(g.k, g.depthBlocks*g.longest())
	if g.packA {
		g.aBytes = roundUp(g.rows*(steps*g.size+g.depthBlocks*gapBytes), 64)
	}
	if g.packB {
		g.bBytes = roundUp(g.columns*(steps+g.depthBlocks*g.extraRows)*g.size, 64)
	}
}

func (g *plan) scratch() int { return g.products * (g.aBytes + g.bBytes + g.sumBytes) }

// longest is the length of the longest block of k.
func (g *plan) longest() int { return (g.k + g.blocks - 1) / g.blocks }

// block returns where a block of k begins; the number of blocks is a block that begins at the end.
func (g *plan) block(number int) int {
	if number == 0 || g.blocks == 1 {
		return g.k * number
	}
	return g.k * number / g.blocks
}

// pieces is how many parts of at most size n is cut into.
func pieces(n, size int) int {
	if n <= size {
		return 1
	}
	return (n + size - 1) / max(1, size)
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// aliased tells whether rows so many bytes apart fall on the same sets of the first cache, or alternate between two of them in matrices
// that are large enough for a copy to pay.
func aliased(step int, large bool) bool {
	return step != 0 && (step%4096 == 0 || step%2048 == 0 && large)
}
