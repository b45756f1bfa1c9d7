package features

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVendorIsTheOneThatLinuxTells(t *testing.T) {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil || !assembly || !strings.Contains(string(text), "vendor_id") {
		require.Equal(t, assembly, strings.Trim(vendorName(), "\x00") != "")
		t.Skip("nothing else tells the processor's maker")
	}
	require.Contains(t, string(text), ": "+vendorName()+"\n")
	require.Equal(t, strings.Contains(string(text), "GenuineIntel"), Intel)
}
