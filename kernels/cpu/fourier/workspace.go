package fourier

import (
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/parallel"
)

// Lines are transformed together that have so many bytes: those that passes read and those that they write fit into the
// nearest cache, or, of lines that are near to one another, into the next. Of these no more are together than have
// besideBytes for a number of each, which lie beside one another.
const (
	nearBytes   = 12 << 10
	middleBytes = 256 << 10
	besideBytes = 256
)

// Workspace is memory for some lines, which one goroutine uses at a time.
type Workspace[T dtype.Float] struct {
	// X has the lines, Room numbers from one to the next.
	X    []Number[T]
	Room int

	other []Number[T]
}

var singles, doubles = sync.Pool{New: func() any { return new(Workspace[float32]) }}, sync.Pool{New: func() any { return new(Workspace[float64]) }}

func poolOf[T dtype.Float]() *sync.Pool {
	if unsafe.Sizeof(T(0)) == 4 {
		return &singles
	}
	return &doubles
}

// Borrow returns a workspace with undefined contents for so many lines of room numbers, to be given back.
func Borrow[T dtype.Float](room, lines int) *Workspace[T] {
	w := poolOf[T]().Get().(*Workspace[T])
	w.Room = room
	w.resize(lines)
	return w
}

// WorkspaceIn returns a workspace for one line in memory that has room for two.
func WorkspaceIn[T dtype.Float](memory []Number[T]) *Workspace[T] {
	room := len(memory) / 2
	return &Workspace[T]{X: memory[:room:room], other: memory[room:], Room: room}
}

// GiveBack ends the use of w.
func (w *Workspace[T]) GiveBack() { poolOf[T]().Put(w) }

func (w *Workspace[T]) resize(lines int) {
	count := w.Room * lines
	if cap(w.X) < count {
		memory := aligned(make([]Number[T], 2*count+vectorBytes/int(unsafe.Sizeof(w.X[0]))))
		w.X, w.other = memory[:count:count], memory[count:]
	}
	w.X, w.other = w.X[:count], w.other[:count]
}

// vectorBytes are those of the longest vectors: loads of them from where they begin at a multiple of this take half as long.
const vectorBytes = 64

// aligned are the numbers from the first multiple of vectorBytes on.
func aligned[T dtype.Float](x []Number[T]) []Number[T] {
	over := int(uintptr(unsafe.Pointer(unsafe.SliceData(x))) % vectorBytes)
	if size := int(unsafe.Sizeof(x[0])); over%size == 0 {
		return x[(vectorBytes-over)%vectorBytes/size:]
	}
	return x
}

// roomOf is how many numbers are from one line of so many numbers to the next, where there is one number more: each
// line begins as the first does.
func roomOf(length int) int { return (length + 8) &^ 7 }

// widthOf is how many numbers lie beside one another where so many lines are transformed number by number, of which the
// memory has room for most: lines of nothing join them if there are fewer than vectors have numbers, the shortest
// vectors that hold a number of each.
func widthOf[T dtype.Float](lines, most int) int {
	level := features.Best
	for level > features.AVX2 && lines <= lanes[T](level-1) {
		level--
	}
	if level == features.Portable {
		return lines
	}
	vector := lanes[T](level)
	if width := (lines + vector - 1) / vector * vector; width <= most {
		return width
	}
	return lines
}

// run transforms so many lines, and returns them, with Room numbers from one to the next.
func (w *Workspace[T]) run(t *parallel.Thread, p *plan[T], lines int) (result []Number[T]) {
	if p.isPlain() {
		return p.runLines(w.X, w.other, w.Room, lines)
	}
	for i := range lines {
		line := p.Run(t, w.X[i*w.Room:][:p.Room()], w.other[i*w.Room:][:p.Room()])
		if i == 0 {
			result = w.X
			if &line[0] != &w.X[0] {
				result = w.other
			}
		}
	}
	return result
}

// What a pass takes for a number, in nanoseconds: with assembly, for each byte of it, and without; and without a
// butterfly for its radix, for each number of that.
const (
	assembledCost = 0.02
	portableCost  = 1.5
	oddCost       = 1
)

// cost is about how many nanoseconds a line takes.
func (p *plan[T]) cost() float64 {
	size := float64(unsafe.Sizeof(Number[T]{}))
	perNumber := 2 * assembledCost * size // to get and to put
	for i := range p.passes {
		switch radix := p.passes[i].radix; {
		case !hasButterfly(radix):
			perNumber += oddCost * float64(radix)
		case features.Best == features.Portable:
			perNumber += portableCost
		default:
			perNumber += float64(assembledCost * size)
		}
	}
	cost := float64(perNumber * float64(p.Room()))
	switch {
	case p.chirp != nil:
		cost += float64(2 * p.chirp.plan.cost())
	case p.matrix != nil:
		cost += float64(float64(p.matrix.columns)*p.matrix.ofColumn.cost()) + float64(float64(p.matrix.rows)*p.matrix.ofRow.cost())
	}
	return cost
}

// each calls body for lines with the given numbers, abreastOf at a time, which threads share.
func (p *plan[T]) each(t *parallel.Thread, lines int, body func(t *parallel.Thread, w *Workspace[T], first, lines int)) {
	abreast := abreastOf[T]()
	blocks := (lines + abreast - 1) / abreast
	t.ForCost(blocks, float64(abreast)*p.cost(), func(t *parallel.Thread, lo, hi int) {
		w := Borrow[T](roomOf(p.Room()), abreast)
		defer w.GiveBack()
		for block := lo; block < hi; block++ {
			first := block * abreast
			body(t, w, first, min(abreast, lines-first))
		}
	})
}
