package parallel

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/weft-nd/weft/fault"
)

// threadsVariable sets the number of workers of the process; GOMAXPROCS of them if it is not set.
const threadsVariable = "WEFT_NUM_THREADS"

// maximumOpenRegions bounds the regions that helpers can see at a time: one bit each of Pool.open. A region beyond that is
// run by its launcher alone.
const maximumOpenRegions = 64

// Source is a queue of work that idle workers take from: a dependency engine.
type Source interface {
	// RunOne takes one piece of work and runs it; it reports false if there is none now. Workers call it concurrently, each
	// with its own Thread, whose settings are as the previous piece left them. If work is left when RunOne takes its piece, it
	// calls Notify before it runs the piece: otherwise the next parked worker is woken only after the piece. A panic that
	// leaves RunOne ends the process.
	RunOne(t *Thread) bool

	// HasWork reports whether RunOne would find work. Spinning workers call it all the time, so it should take no more than an
	// atomic load or two.
	HasWork() bool
}

// Calm is implemented by Sources that know when it is better that workers look for work rarely.
type Calm interface {
	// IsCalm reports whether the goroutines that publish work mostly do it themselves, and spinning workers would only take cache lines
	// from them. Workers may start some microseconds late then.
	IsCalm() bool
}

// Pool is a fixed set of workers. They are launched at first use: the first region of more than one slot on LayerWorkqueue, or
// the first source. All methods may be called from any goroutine.
type Pool struct {
	workers int
	layer   Layer
	sources atomic.Pointer[[]Source]
	tokens  chan struct{} // one for each worker that was woken and has not taken it yet

	mutex    sync.Mutex // guards launching, closing, changes of sources, and started
	launched atomic.Bool
	closed   atomic.Bool
	running  sync.WaitGroup
	started  int // goroutines that LayerGoroutine has started and that have not ended

	processors atomic.Int32 // the value of GOMAXPROCS when it was last looked at
	rounds     int          // the spin window
	keen       int          // rounds before it, without yielding, of a worker that has just taken part in a region
	looks      int          // of a worker that dozes

	// Goroutines that keep their processors, looking for something without yielding: launchers count on a cache line of theirs.
	_                [64]byte
	patience         atomic.Int32 // rounds without yielding of launchers
	keepingLaunchers atomic.Int32
	_                [64]byte
	keepingWorkers   atomic.Int32
	_                [64]byte
	waiting          atomic.Int32 // goroutines between BeginWait and EndWait

	_      [64]byte
	open   atomic.Uint64 // the regions with slots to claim, but the first; what spinning workers look at, and the first region
	_      [64]byte
	idle   atomic.Uint64 // searching workers in the low half, parked ones in the high half
	dozing atomic.Int32  // parked ones that look for work by themselves
	_      [64]byte
	free   atomic.Uint64 // the regions that no launcher uses
	_      [88]byte

	regions [maximumOpenRegions]region // each on cache lines of its own, though the allocator puts 8 bytes before a Pool
}

// New returns a pool of the given number of workers. It panics for workers < 1.
func New(workers int, options ...Option) *Pool {
	if workers < 1 || workers > math.MaxInt32 {
		panic(fmt.Sprintf("parallel: a pool needs between 1 and %d workers, not %d", math.MaxInt32, workers))
	}
	p := &Pool{workers: workers, layer: LayerWorkqueue, rounds: searchRounds, keen: keenRounds, looks: dozeLooks, tokens: make(chan struct{}, workers)}
	p.sources.Store(&[]Source{})
	p.free.Store(math.MaxUint64)
	p.countProcessors()
	for _, option := range options {
		option(p)
	}
	return p
}

// Default returns the pool of the process, made at the first call. It has WEFT_NUM_THREADS workers, or
// runtime.GOMAXPROCS(0) where that variable is unset or empty, and the layer that [ParseLayer] finds in WEFT_THREADING_LAYER, or
// LayerWorkqueue. It panics with *fault.Error if one of them has another value.
var Default = sync.OnceValue(newDefault)

// initialised is what Default returns, once it has been called.
var initialised atomic.Pointer[Pool]

func newDefault() *Pool {
	pool := New(defaultWorkers(os.Getenv(threadsVariable)), WithLayer(defaultLayer(os.Getenv(layerVariable))))
	initialised.Store(pool)
	return pool
}

func defaultWorkers(value string) int {
	if value == "" {
		return runtime.GOMAXPROCS(0)
	}
	workers, err := strconv.ParseInt(value, 10, 32)
	if err != nil || workers < 1 {
		panic(fault.Variable(threadsVariable, value, "from 1 to 2147483647 threads"))
	}
	return int(workers)
}

// NumWorkers returns the number of workers: the bound of every mask.
func (p *Pool) NumWorkers() int { return p.workers }

// Thread returns a new handle outside any region, with mask NumWorkers and chunk size 0.
func (p *Pool) Thread() *Thread { return &Thread{pool: p, mask: p.workers} }

// Close stops the workers after what they run now, and waits for them; sources are no longer served. Regions still work
// afterwards: their launchers run them alone. A worker of the pool (a body, a RunOne) must not call it.
func (p *Pool) Close() {
	p.mutex.Lock()
	p.closed.Store(true)
	p.mutex.Unlock()
	for p.wake(math.MaxInt) {
	}
	p.running.Wait()
}

// AddSource makes the workers take work from s, launching them if need be.
func (p *Pool) AddSource(s Source) {
	p.mutex.Lock()
	sources := append(slices.Clone(*p.sources.Load()), s)
	p.sources.Store(&sources)
	p.mutex.Unlock()
	p.launch()
	p.Notify()
}

// RemoveSource undoes one AddSource of s. Afterwards no worker looks for work there; one that has just found some may still call
// s.RunOne, once. A source that is not there is left alone.
func (p *Pool) RemoveSource(s Source) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	sources := *p.sources.Load()
	if i := slices.Index(sources, s); i >= 0 {
		sources = slices.Delete(slices.Clone(sources), i, i+1)
		p.sources.Store(&sources)
	}
}

func (p *Pool) launch() {
	if p.launched.Load() {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.launched.Load() || p.closed.Load() {
		return
	}
	p.countProcessors()
	p.running.Add(p.workers)
	for i := range p.workers {
		w := &worker{pool: p, turn: i, thread: *p.Thread()}
		w.thread.place = i
		go w.run()
	}
	p.launched.Store(true)
}
