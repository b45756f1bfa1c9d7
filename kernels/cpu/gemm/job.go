package gemm

import (
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// job is a product under way. Jobs are reused, so that a product allocates nothing.
type job[T Float] struct {
	// What stays from product to product stays in the caches of all processors.
	tiles                                                []paddedTile[T] // by the ID of a thread
	family                                               *family[T]
	packing, multiplying, multiplyingDirect, transposing func(t *parallel.Thread, lo, hi int) // methods of the job
	_                                                    [64]byte
	direct                                               direct[T]
	_                                                    [64]byte

	product Product[T]
	plan
	packed unsafe.Pointer // what is packed, or the result of an exchanged product
	own    [][8]uint64    // memory for that where the caller has none
	part   part
}

// paddedTile keeps the tiles of threads on different cache lines.
type paddedTile[T Float] struct {
	tile[T]
	own Ahead       // what the unit needs at its end
	row *rowSums[T] // nil before it is used
	_   [64]byte
}

// forget leaves nothing in the tile that would keep the memory of matrices alive, or be fetched. The thread that used
// it does that: it is in its cache.
func (t *tile[T]) forget() {
	t.a, t.b, t.c = nil, nil, nil
	t.next, t.step, t.rowsAtOnce, t.soon, t.later, t.columns, t.panel, t.ahead = 0, 0, 0, rowsAhead{}, rowsAhead{}, columns{}, addresses{}, nil
}

// part is what is packed and multiplied at a time: products, rows, columns and blocks of k from the first to before the last.
type part struct {
	firstProduct, lastProduct int
	firstRow, lastRow         int
	firstColumn, lastColumn   int
	firstBlock, lastBlock     int

	chunks         int  // into which the rows are cut for the second cache
	strips         int  // into which a chunk is cut for the threads
	across         int  // pieces into which the columns are cut for the threads
	packsPanels    bool // each panel is packed by the only unit that multiplies it
	byPanels       bool // units of the same panels follow each other: who has packed them multiplies them
	packsStrips    bool // so is each strip of A, while the second cache has it
	longestStrip   int  // rows
	panelsToPack   int  // that one unit of work packs otherwise
	unitsA, unitsB int  // of one product
}

var jobs32, jobs64 sync.Pool

func jobs[T Float]() *sync.Pool {
	var zero T
	if _, single := any(zero).(float32); single {
		return &jobs32
	}
	return &jobs64
}

func takeJob[T Float]() *job[T] {
	if j, ok := jobs[T]().Get().(*job[T]); ok {
		return j
	}
	j := &job[T]{}
	j.packing, j.multiplying, j.multiplyingDirect, j.transposing = j.packUnits, j.multiplyUnits, j.multiplyDirect, j.transposeResult
	return j
}

// release keeps the job for later, without what would keep the memory of matrices alive.
func (j *job[T]) release() {
	j.product, j.packed = Product[T]{}, nil
	jobs[T]().Put(j)
}

func (j *job[T]) run(t *parallel.Thread, temporary unsafe.Pointer) {
	j.product.orient()
	if f := j.product.family(); f != j.family {
		j.family = f
	}
	setPlan(&j.plan, &j.product, j.family)
	if more := t.NumThreads() - len(j.tiles); more > 0 {
		j.tiles = append(j.tiles, make([]paddedTile[T], more)...)
	}
	if j.isLittle() {
		j.part.firstProduct, j.part.firstColumn, j.part.lastColumn = 0, 0, j.n
		j.part.firstRow, j.part.firstBlock, j.part.lastBlock = 0, 0, j.blocks
		j.multiply(&j.tiles[0], unit{lastRow: j.m, lastPanel: pieces(j.n, j.width)})
		j.tiles[0].forget()
		return
	}
	if j.runDirect(t, temporary) {
		return
	}
	j.packed = j.memory(temporary)
	p := &j.part
	for p.firstProduct = 0; p.firstProduct < j.product.count(); p.firstProduct = p.lastProduct {
		p.lastProduct = min(j.product.count(), p.firstProduct+j.products)
		for p.firstColumn = 0; p.firstColumn < j.n; p.firstColumn = p.lastColumn {
			p.lastColumn = min(j.n, p.firstColumn+j.columns)
			for p.firstBlock = 0; p.firstBlock < j.blocks; p.firstBlock = p.lastBlock {
				p.lastBlock = min(j.blocks, p.firstBlock+j.depthBlocks)
				for p.firstRow = 0; p.firstRow < j.m; p.firstRow = p.lastRow {
					p.lastRow = min(j.m, p.firstRow+j.rows)
					j.runPart(t)
				}
			}
		}
	}
}

// memory is the temporary memory, of the job itself if there is none.
func (j *job[T]) memory(temporary unsafe.Pointer) unsafe.Pointer {
	if temporary != nil {
		return temporary
	}
	return j.ownMemory(j.scratch())
}

func (j *job[T]) ownMemory(bytes int) unsafe.Pointer {
	if lines := bytes / 64; len(j.own) < lines {
		j.own = make([][8]uint64, lines)
	}
	return unsafe.Pointer(unsafe.SliceData(j.own))
}

// isLittle tells whether there is one product, of which nothing is packed and whose work does not pay to share.
func (j *job[T]) isLittle() bool {
	return j.product.Count <= 1 && !j.packA && !j.packB && j.work(j.m, j.n, j.k) < 2*unitWork
}

// work returns roughly how many nanoseconds a product of that shape takes.
func (j *job[T]) work(m, n, k int) float64 { return j.family.work(m, n, k) }

// fewWords are those from which on it is not C that products of words wait for.
const fewWords = 32

// readRate is how many bytes of B a thread reads in a nanosecond, roughly, which is what products of few rows wait for.
const readRate = 60

func (f *family[T]) work(m, n, k int) float64 {
	var zero T
	if f.words != nil {
		k = max(k, fewWords)
	}
	return float64(n) * float64(k) * max(2*float64(m)/f.rate, float64(unsafe.Sizeof(zero))/readRate)
}

// unitWork is the nanoseconds of work from which on a unit is worth claiming.
const unitWork = 1_000

// runPart packs the part, and then multiplies it.
func (j *job[T]) runPart(t *parallel.Thread) {
	p := &j.part
	products, rows, columns := p.lastProduct-p.firstProduct, p.lastRow-p.firstRow, p.lastColumn-p.firstColumn
	panels, blocks := pieces(columns, j.width), p.lastBlock-p.firstBlock
	p.chunks = 1
	if rows > j.chunkRows {
		p.chunks = pieces(rows, j.chunkRows)
	}
	work := j.work(rows, columns, j.block(p.lastBlock)-j.block(p.firstBlock))
	j.share(t.NumThreads(), products, panels, float64(products)*work)

	p.unitsA, p.unitsB = 0, 0
	strips := p.chunks * p.strips
	p.longestStrip = pieces(rows, strips)
	p.packsStrips = j.packA && !j.turnsB && p.across == 1 && t.NumThreads()*p.longestStrip <= rows
	if j.packA && !p.packsStrips {
		p.unitsA = p.chunks * blocks
	}
	p.byPanels = j.packB && !j.packA && rows*j.longest()*j.size <= chunkBytes
	p.packsPanels = j.packB && j.rows == j.m && p.chunks*p.strips == 1
	if j.packB && !p.packsPanels && p.firstRow == 0 {
		p.panelsToPack = max(1, min(8, panels/8))
		p.unitsB = pieces(panels, p.panelsToPack) * blocks
	}
	if units := p.unitsA + p.unitsB; units > 0 {
		bytes := float64(j.aBytes*min(1, p.unitsA) + j.bBytes*min(1, p.unitsB))
		runUnits(t, products*units, 0.1*bytes/float64(units), j.packing)
	}
	units := p.chunks * p.strips * p.across
	runUnits(t, products*units, work/float64(units), j.multiplying)
}

// runUnits runs body for units of so many nanoseconds. Whoever is free takes the next one, or several little ones, so that a busy
// neighbour costs little; but one for each thread is given out at once.
func runUnits(t *parallel.Thread, units int, nanoseconds float64, body func(t *parallel.Thread, lo, hi int)) {
	before, threads := t.ChunkSize(), t.NumThreads()
	chunk := max(1, int(min(unitWork/nanoseconds, float64(units/(4*threads)))))
	if units <= threads {
		chunk = 0
	}
	_, _ = t.SetChunkSize(chunk)
	t.ForCost(units, nanoseconds, body)
	_, _ = t.SetChunkSize(before)
}

// stripRows is the least height of units that have whole rows: three of the highest tiles.
const stripRows = 42

// panelUnits is how many units there are for each thread at most where B is packed panel by panel: of several, which are packed together,
// or fetched while the one before is multiplied.
const panelUnits = 4

// ownRows is the most rows of a strip of A that its unit packs where B is larger than the second cache.
const ownRows = 112

// share cuts chunks and columns into units: as many as threads where there is little work, and more, so that the threads end
// together whatever else they are kept by, where there is much.
func (j *job[T]) share(threads, products, panels int, work float64) {
	p := &j.part
	p.strips, p.across = 1, 1
	if threads == 1 || work < 2*unitWork {
		return
	}
	wanted := pieces(roundUp(max(1, min(64*threads, int(work/(8*unitWork)))), threads), products*p.chunks)
	if j.isRow {
		wanted = min(wanted, rowUnits*threads)
	}
	if (j.fetchesColumns || j.fetchesRows || j.joinsPanels) && p.chunks == 1 {
		wanted = min(wanted, panelUnits*threads)
	}
	rows := p.lastRow - p.firstRow
	if j.longest()*panels*j.width*j.size <= chunkBytes {
		// B stays in the second cache, and so that A comes there once, units have whole rows.
		enough := 8 * threads
		if j.turnA {
			enough = 2 * threads // Each packs its own.
		}
		if p.strips = min(wanted, rows/(stripRows*p.chunks)); p.strips*p.chunks*products >= enough {
			return
		}
	}
	if strips := roundUp(pieces(rows, ownRows), threads); j.packA && products == 1 && rows >= strips*stripRows && threads*pieces(rows, strips) <= rows {
		p.chunks = strips // Whole rows, which units pack for themselves, so that A goes through the second cache once.
		return
	}
	p.across = min(panels, wanted)
	p.strips = max(1, min(wanted/p.across, pieces(rows, 4*p.chunks)))
}
