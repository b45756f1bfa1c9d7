package cpu

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNextAfterOfHalvesGoesOnePlaceOn goes through all numbers.
func TestNextAfterOfHalvesGoesOnePlaceOn(t *testing.T) {
	for _, infinity := range []uint16{0x7c00, 0x7f80} {
		of := func(v uint16) int { // the place among all numbers
			if v>>15 != 0 {
				return -int(v & 0x7fff)
			}
			return int(v)
		}
		for v := uint16(0); v <= infinity; v++ {
			for _, sign := range []uint16{0, 1 << 15} {
				at := of(v | sign)
				require.Equal(t, min(at+1, int(infinity)), of(nextBits(v|sign, infinity, infinity)))
				require.Equal(t, max(at-1, -int(infinity)), of(nextBits(v|sign, infinity|1<<15, infinity)))
			}
		}
	}
}
