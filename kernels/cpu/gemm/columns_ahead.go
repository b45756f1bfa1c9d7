package gemm

// columns are those of B whose elements are adjacent along k. The kernel of a tile fetches fetchedColumns of them, in all its steps together
// as many elements as it has steps.
type columns struct {
	from  uintptr
	step  int // from column to column
	tiles int // that are left to fetch some
}

// columnsToCome returns those that the unit packs next for itself. A processor does not fetch them, and to wait for all of them at once
// would take longer than to multiply a panel. B starts at start.
func (j *job[T]) columnsToCome(u unit, panel, block int, start uintptr) columns {
	if panel++; panel == u.lastPanel {
		panel, block = u.firstPanel, block+1
	}
	if !j.fetchesColumns || block == j.part.lastBlock {
		return columns{}
	}
	step, column := j.product.B.ColumnStride*j.size, j.part.firstColumn+panel*j.width
	return columns{start + uintptr(column*step+j.block(block)*j.size), step, pieces(min(j.width, j.n-column), fetchedColumns)}
}
