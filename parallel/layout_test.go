package parallel

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// TestAHelperFindsWhatChangesInARegionOnOneLineOfTheCache looks at the places in memory.
func TestAHelperFindsWhatChangesInARegionOnOneLineOfTheCache(t *testing.T) {
	const line = 64
	p := newPool(t, 2)
	for i := range p.regions {
		require.Zero(t, uintptr(unsafe.Pointer(&p.regions[i]))%line, "region %d", i)
	}
	var r region
	if unsafe.Sizeof(uintptr(0)) == 8 {
		require.LessOrEqual(t, unsafe.Offsetof(r.cuts)+unsafe.Sizeof(r.cuts), uintptr(line))
	}
	require.GreaterOrEqual(t, unsafe.Offsetof(r.slots), uintptr(line))
	require.GreaterOrEqual(t, unsafe.Offsetof(r.done), uintptr(line))
}
