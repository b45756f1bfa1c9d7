package features

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSizesOfCachesAreRead(t *testing.T) {
	for text, want := range map[string]int{"32768K": 32 << 20, "48K": 48 << 10, "": 0, "K": 0, "12": 0, "2M": 0, "-1K": 0, "1.5K": 0} {
		require.Equal(t, want, bytesOf(text), text)
	}
	if _, err := os.Stat("/sys/devices/system/cpu/cpu0/cache/index0/size"); err != nil {
		require.Zero(t, LastLevelCache())
	} else {
		require.Positive(t, LastLevelCache())
	}
}
