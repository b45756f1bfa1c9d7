package storage_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// lineBefore returns how an error names the line before the one of the call.
func lineBefore() string {
	_, _, line, _ := runtime.Caller(1)
	return fmt.Sprintf("made at holders_test.go:%d", line-1)
}

func TestOutOfMemoryNamesSizesAndTheLargestHolders(t *testing.T) {
	for _, d := range []device.Device{device.CPU(0), device.Sim(0)} {
		m := useManager(t, d, storage.NewPooled)
		m.SetLimit(4 << 20)
		_, err := storage.NewBlock(d, 5<<20)
		require.EqualError(t, err, fmt.Sprintf(
			"out of memory: %v: 5242880 bytes (5.0 MiB) asked for, 0 bytes in use of a limit of 4194304 bytes (4.0 MiB)", d))

		var held []*storage.Block
		keep := func(b *storage.Block, err error) {
			require.NoError(t, err)
			held = append(held, b)
		}
		keep(storage.NewBlock(d, 1<<20))
		one := lineBefore()
		var three string
		for range 3 {
			keep(storage.NewBlock(d, 512<<10))
			three = lineBefore()
		}
		// Two ways lead to one line.
		two := func() string {
			keep(storage.NewBlock(d, 128<<10))
			return lineBefore()
		}
		two()
		both := two()
		keep(storage.NewBlock(d, 40<<10)) // one more than are named
		_, err = storage.NewBlock(d, 3<<20)
		require.ErrorIs(t, err, fault.ErrOutOfMemory)
		require.EqualError(t, err, fmt.Sprintf("out of memory: %v: 3145728 bytes (3.0 MiB) asked for, %d bytes (2.8 MiB) in use of a limit of "+
			"4194304 bytes (4.0 MiB); the largest holders: 1572864 bytes (1.5 MiB) in 3 arrays %s; 1048576 bytes (1.0 MiB) in 1 array %s; "+
			"262144 bytes (256.0 KiB) in 2 arrays %s", d, m.Stats().InUse, three, one, both))

		for _, b := range held[1:] {
			b.Release()
		}
		b, err := storage.NewBlock(d, 3<<20) // the run goes on
		require.NoError(t, err)
		b.Release()
		held[0].Release()
		m.Trim()
	}
}

// What was dropped is found by the collector before an allocation fails.
func TestAfterOutOfMemoryTheRunGoesOn(t *testing.T) {
	m := useManager(t, device.Sim(1), storage.NewPooled)
	m.SetLimit(8 << 20)
	fill := func() (held []*storage.Block) {
		for {
			b, err := storage.NewBlock(device.Sim(1), 1<<20)
			if errors.Is(err, fault.ErrOutOfMemory) {
				return held
			}
			require.NoError(t, err)
			held = append(held, b)
		}
	}
	held := fill()
	require.Len(t, held, 8)
	runtime.KeepAlive(held)
	held = fill() // dropped, all eight
	require.Len(t, held, 8)
	for _, b := range held {
		b.Release()
	}
	storage.ReleaseAll()
	require.Zero(t, m.Stats().InUse+m.Stats().Cached)
	require.Len(t, fill(), 8)
	collectUntil(t, func() bool { return m.Stats().InUse == 0 })
	m.Trim()
}
