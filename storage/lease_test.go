package storage

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
)

func TestALeaseEndsOnceAndKeepsNeitherMemoryNorSite(t *testing.T) {
	m, err := NewNaive(device.CPU(0))
	require.NoError(t, err)
	l := &ledger{manager: m}
	b, err := l.newBlock(1000, fault.Here(0))
	require.NoError(t, err)
	entry := b.tenant.lease
	require.EqualValues(t, 1000, l.leased)
	require.True(t, entry.give())
	require.Zero(t, entry.memory)
	require.Nil(t, entry.site)
	require.False(t, entry.give())
	b.Release()
	require.Zero(t, l.leased)
	require.Zero(t, m.Stats().InUse)
}
