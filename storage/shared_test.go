//go:build unix

package storage_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
	"github.com/weft-nd/weft/storage/storagetest"
)

func TestManagersOfSharedMemory(t *testing.T) {
	makers := map[string]func(device.Device) (storage.Manager, error){"Shared": storage.NewShared, "Naive": storage.NewNaive}
	for name, maker := range makers {
		t.Run(name, func(t *testing.T) {
			storagetest.RunManager(t, func() storage.Manager { return newManager(t, maker, device.CPUShared(0)) })
		})
	}
}

// A pool would give memory that other processes still have to somebody else.
func TestSharedMemoryIsNeverKeptForReuse(t *testing.T) {
	_, err := storage.NewPooled(device.CPUShared(0))
	require.ErrorIs(t, err, fault.ErrDevice)
	_, err = storage.NewGuarded(device.CPUShared(0))
	require.ErrorIs(t, err, fault.ErrDevice)
	for _, d := range []device.Device{device.CPU(0), device.CPUPinned(0), device.Sim(0)} {
		_, err = storage.NewShared(d)
		require.ErrorIs(t, err, fault.ErrDevice, d)
	}
	m, err := storage.ManagerOf(device.CPUShared(3))
	require.NoError(t, err)
	p, err := m.Allocate(4096)
	require.NoError(t, err)
	m.Free(p)
	require.Zero(t, m.Stats().Cached)
}

func TestSharedBlocksAreFilesWhateverTheirSize(t *testing.T) {
	for _, bytes := range []int{1, 100, 4096, 1 << 20} {
		b, err := storage.NewBlock(device.CPUShared(0), bytes)
		require.NoError(t, err)
		data := b.Pointer().Bytes(bytes)
		data[bytes-1] = 7
		file, err := storage.SharedFile(data)
		require.NoError(t, err)
		seen := make([]byte, bytes)
		_, err = file.ReadAt(seen, 0)
		require.NoError(t, err)
		require.Equal(t, data, seen)
		require.NoError(t, file.Close())
		b.Release()
	}
	_, err := storage.SharedFile(make([]byte, 10))
	require.ErrorIs(t, err, fault.ErrMisuse)
}
