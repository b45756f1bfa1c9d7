//go:build linux && amd64

package ops

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/storage"
	"github.com/weft-nd/weft/storage/storagetest"
)

// TestManagersOfAGPUPassTheSuite runs the suite of managers on memory of a GPU.
func TestManagersOfAGPUPassTheSuite(t *testing.T) {
	gpu := gpuOf(t, newEnv(t, "perdevice")).Device()
	for name, maker := range map[string]func(device.Device) (storage.Manager, error){
		"naive": storage.NewNaive, "pooled": storage.NewPooled, "multiple": storage.NewRoundMultiple, "power2": storage.NewRoundPower2,
	} {
		t.Run(name, func(t *testing.T) {
			storagetest.RunManager(t, func() storage.Manager {
				m, err := maker(gpu)
				require.NoError(t, err)
				return m
			})
		})
	}
}
