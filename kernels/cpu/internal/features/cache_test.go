package features

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSizesOfCachesAreRead(t *testing.T) {
	for text, want := range map[string]int{"32768K": 32 << 20, "48K": 48 << 10, "": 0, "K": 0, "12": 0, "2M": 0, "-1K": 0, "1.5K": 0} {
		require.Equal(t, want, bytesOf(text), text)
	}
	require.Equal(t, LastLevelCache(), LastLevelCache())
	if runtime.GOOS != "linux" {
		require.Zero(t, LastLevelCache())
	}
}
