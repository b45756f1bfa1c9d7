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

// ReadsSource reports whether p can be computed from elements of the source in place of those of B, or of A where C has a single column,
// which gives the bits that it has after they are cast, and is no slower.
func (p Product[T]) ReadsSource(source Source) bool {
	rows := best[T]().rows
	if rows == nil || rows[source].row == nil || p.isDot() || p.isDistant() {
		return false
	}
	if !p.isRow() {
		return p.B.ColumnStride == 1 && p.C.ColumnStride == 1 && p.N >= best[T]().lanes // Of fewer columns most of the work is A.
	}
	p.orient()
	return p.B.ColumnStride == 1 || p.B.RowStride == 1 && p.N >= lineColumns[T]()
}
