package ndarray

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/fault"
)

// Meshgrid returns a view for each of the arrays, which have one axis each: all have one shape, and an axis for each array, along
// which its elements are. The axes of the first two are exchanged, as Cartesian coordinates x and y are in a picture. NumPy's
// meshgrid with indexing "xy".
func Meshgrid(arrays ...*Array) []*Array { return meshgrid("Meshgrid", 1, arrays) }

// MeshgridIJ is Meshgrid with the axes in the order of the arrays, as those of a matrix are. NumPy's indexing "ij".
func MeshgridIJ(arrays ...*Array) []*Array { return meshgrid("MeshgridIJ", 0, arrays) }

// meshgrid gives the axis of array i the number i, and those of the first two i^exchanged.
func meshgrid(operator string, exchanged int, arrays []*Array) []*Array {
	checkNotNil(operator, arrays...)
	shape, lines := make([]int, len(arrays)), make([]*Array, len(arrays))
	for i, a := range arrays {
		if a.Rank() != 1 {
			fail(operator, fault.ErrShape, fmt.Sprintf("array %d has %d axes, want one", i, a.Rank()), arrays...)
		}
		axis := i
		if len(arrays) > 1 && i < 2 {
			axis ^= exchanged
		}
		line := slices.Repeat([]int{1}, len(arrays))
		line[axis] = a.Count()
		shape[axis], lines[i] = a.Count(), a.Reshape(line...)
	}
	return broadcastAll(lines, shape)
}
