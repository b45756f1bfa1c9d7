package engine

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// TestTasksAndVariablesFillCacheLines keeps objects on lines of their own, wherever the allocator puts them.
func TestTasksAndVariablesFillCacheLines(t *testing.T) {
	const line = 64
	require.Zero(t, unsafe.Sizeof(task{})%line)
	require.Equal(t, uintptr(line), unsafe.Sizeof(node{}))
	require.Equal(t, uintptr(line), unsafe.Offsetof(task{}.inline))
	require.Zero(t, unsafe.Sizeof(slab{})%line)
	require.Equal(t, uintptr(2*line), unsafe.Sizeof(Var{}))
	require.Equal(t, uintptr(line), unsafe.Offsetof(Var{}.version))
}
