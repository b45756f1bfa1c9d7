package cpu

import (
	"sync"
	"unsafe"
)

// workspace is the memory in which one thread reduces.
type workspace struct {
	gathered, mapped [leaf][2]uint64              // a leaf of elements as they are, and as a fold maps them
	loaded           [loaded]uint64               // elements as they are accumulated
	lanes            [2 * lanes][2]uint64         // of one leaf
	leaves           [2 * leaf]uint64             // the results of many leaves
	columns          [lanes * rowBytes / 8]uint64 // the lanes of many outputs
	transposed       [lanes * leaf][2]uint64
	turned           [loadedColumns * leaf]uint64 // short rows as columns, or rows of columns as they are accumulated
	totals           [lanes * leaf]uint64         // of short rows
}

var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// stack holds the results of complete subtrees, larger ones below.
type stack[S any] struct {
	subtrees [64]S
	depth    int
	pushed   int
}

func (s *stack[S]) push(value S, join func(a, b S) S) {
	for merged := s.pushed; merged&1 == 1; merged >>= 1 {
		s.depth--
		value = join(s.subtrees[s.depth], value)
	}
	s.subtrees[s.depth] = value
	s.depth++
	s.pushed++
}

// total joins what is on the stack; zero if nothing was pushed.
func (s *stack[S]) total(join func(a, b S) S) S {
	if s.depth == 0 {
		var zero S
		return zero
	}
	value := s.subtrees[s.depth-1]
	for i := s.depth - 2; i >= 0; i-- {
		value = join(s.subtrees[i], value)
	}
	return value
}

// columnStack is the stack of width neighbouring outputs, which may be at most as many as most says.
type columnStack[S any] struct {
	joinAll     func(a, b []S)
	subtrees    [][]S
	depth       int
	pushed      int
	width, most int
}

// next returns the place of the value that push takes.
func (s *columnStack[S]) next() []S {
	if s.depth == len(s.subtrees) {
		var value S
		s.subtrees = append(s.subtrees, make([]S, multiple(s.most, int(unsafe.Sizeof(value)))))
	}
	return s.subtrees[s.depth][:s.width]
}

func (s *columnStack[S]) push() {
	s.depth++
	for merged := s.pushed; merged&1 == 1; merged >>= 1 {
		s.pop()
	}
	s.pushed++
}

// pop joins the upper two values.
func (s *columnStack[S]) pop() {
	s.depth--
	s.joinAll(s.subtrees[s.depth-1][:s.width], s.subtrees[s.depth][:s.width])
}

// total joins what is on the stack, and empties it.
func (s *columnStack[S]) total() []S {
	for s.depth > 1 {
		s.pop()
	}
	s.depth, s.pushed = 0, 0
	return s.subtrees[0][:s.width]
}

// apart returns the bytes from one row to another.
func apart[T any](a, b []T) int {
	return int(uintptr(unsafe.Pointer(unsafe.SliceData(b))) - uintptr(unsafe.Pointer(unsafe.SliceData(a))))
}
