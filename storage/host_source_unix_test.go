//go:build unix

package storage

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWholePagesAgreeWithCountingThem(t *testing.T) {
	for _, page := range []int{4, 16} {
		for address := range 64 {
			for bytes := range 64 {
				want := map[int]bool{}
				for start := 0; start < 256; start += page {
					if address <= start && start+page <= address+bytes {
						want[start] = true
					}
				}
				lo, hi := wholePages(uintptr(address), bytes, page)
				got := map[int]bool{}
				for start := address + lo; start < address+hi; start += page {
					got[start] = true
				}
				require.True(t, maps.Equal(want, got), "%d bytes at %d: [%d, %d)", bytes, address, lo, hi)
			}
		}
	}
}
