package gemm

// Source is what elements are read from.
type Source int

const (
	OfProduct Source = iota // those of the product
	Float16
	BFloat16
	sources
)

// size is the size of an element, those of the product being so large.
func (s Source) size(size int) int {
	if s == OfProduct {
		return size
	}
	return 2
}

// ReadsSource reports whether p, of a single row or column, can be computed from elements of the source in place of those of
// the other matrix, which gives the bits that it has after they are cast.
func (p Product[T]) ReadsSource(source Source) bool {
	if !p.isRow() || p.isDot() || p.isDistant() {
		return false
	}
	p.orient()
	rows := best[T]().rows
	return rows != nil && rows[source].row != nil && (p.B.ColumnStride == 1 || p.B.RowStride == 1 && p.N >= lineColumns[T]())
}
