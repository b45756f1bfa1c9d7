package gemm

import (
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/parallel"
)

// NarrowRows are the sums of the rows of B, whose elements are adjacent, times one element of A each, for integers of
// one or two bytes: the product of a single row and a matrix. Sums are those of int32, which wrap round, so that the
// order of terms does not matter.
type NarrowRows struct {
	Size, Width       int // bytes of an element of the operands and of the result
	N, K              int // elements of a row, and rows
	A, B, C           unsafe.Pointer
	AStep, BRow, CRow int // bytes from element to element of A, from row to row of B, and from element to element of C
}

const (
	rowsTogether    = 8    // rows that the kernels add at a time
	columnsTogether = 16   // columns that they take a multiple of
	leastRowSums    = 64   // columns from which on this pays
	mostRowSums     = 1024 // columns at a time, whose sums stay in the first cache
	groupsTogether  = 16   // groups of rowsTogether rows that a thread adds at least before it adds its sums to those of others
)

// integerRows adds the products of rowsTogether rows, step bytes apart, and a factor each to sums, for a positive
// multiple of columnsTogether columns.
type integerRows func(sums *int32, rows *byte, step int, factors *int16, columns int)

// Fits reports whether the product has as many rows and columns as this takes, and there are kernels for it.
func (p *NarrowRows) Fits() bool {
	return features.Best > features.Portable && p.Size <= 2 && p.K >= rowsTogether && p.N >= leastRowSums
}

// narrowRows is what the threads of a product share.
type narrowRows struct {
	NarrowRows
	add     integerRows
	factors []int16 // of groups of rows; the last group is the last rows, with zeros for those that are in the group before, too

	lock   sync.Mutex // of totals
	totals []int32
}

// Run computes the product, with memory of its own for a sum of each column and a factor of each row.
func (p NarrowRows) Run(t *parallel.Thread) {
	groups := (p.K + rowsTogether - 1) / rowsTogether
	s := narrowRows{NarrowRows: p, add: assemblyRows[p.Size-1], factors: make([]int16, groups*rowsTogether), totals: make([]int32, p.N)}
	whole := p.K &^ (rowsTogether - 1)
	for i := range whole {
		s.factors[i] = s.factor(i)
	}
	for i := whole; i < p.K; i++ {
		s.factors[len(s.factors)-p.K+i] = s.factor(i)
	}
	blocks := (groups + groupsTogether - 1) / groupsTogether
	t.ForCost(blocks, 0.03*float64(groupsTogether*rowsTogether*p.N), func(_ *parallel.Thread, lo, hi int) {
		s.addGroups(lo*groupsTogether, min(groups, hi*groupsTogether))
	})
	for i, total := range s.totals {
		store(unsafe.Add(p.C, i*p.CRow), p.Width, int64(total))
	}
}

func (s *narrowRows) factor(row int) int16 {
	at := unsafe.Add(s.A, row*s.AStep)
	if s.Size == 1 {
		return int16(*(*int8)(at))
	}
	return *(*int16)(at)
}

// addGroups adds groups [lo, hi) of rows to the totals.
func (s *narrowRows) addGroups(lo, hi int) {
	var sums [mostRowSums]int32
	var last [columnsTogether]int32
	for first := 0; first < s.N; first += mostRowSums {
		end := min(first+mostRowSums, s.N)
		whole := (end - first) &^ (columnsTogether - 1)
		s.addColumns(sums[:whole], first, lo, hi)
		rest := last[columnsTogether-(end-first-whole):]
		if len(rest) > 0 { // The last columns are computed together with some before them, which are there already.
			s.addColumns(last[:], end-columnsTogether, lo, hi)
		}
		s.lock.Lock()
		addTo(s.totals[first:], sums[:whole])
		addTo(s.totals[first+whole:], rest)
		s.lock.Unlock()
	}
}

// addColumns sets sums to those of groups [lo, hi) for the columns from first on.
func (s *narrowRows) addColumns(sums []int32, first, lo, hi int) {
	clear(sums)
	if len(sums) == 0 {
		return
	}
	for group := lo; group < hi; group++ {
		row := min(group*rowsTogether, s.K-rowsTogether)
		s.add(&sums[0], (*byte)(unsafe.Add(s.B, row*s.BRow+first*s.Size)), s.BRow, &s.factors[group*rowsTogether], len(sums))
	}
}

func addTo(totals, sums []int32) {
	for i, sum := range sums {
		totals[i] += sum
	}
}
