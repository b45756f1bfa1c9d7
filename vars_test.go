package weft_test

import (
	"encoding/json"
	"expvar"
	"testing"

	"github.com/stretchr/testify/require"

	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/profile/vars"
	"github.com/weft-nd/weft/storage"
)

// TestMemoryIsPublishedAsAVariable publishes what the documentation of storage.Usage says, and reads it as a monitor does.
func TestMemoryIsPublishedAsAVariable(t *testing.T) {
	vars.Publish("weft.memory", func() any { return storage.Usage() })
	x := nd.Zeros[float32](1 << 16).AddScalar(1)
	require.NoError(t, x.Wait(t.Context()))
	var usage map[string]storage.Stats
	require.NoError(t, json.Unmarshal([]byte(expvar.Get("weft.memory").String()), &usage))
	require.GreaterOrEqual(t, usage["cpu(0)"].InUse, int64(4<<16))
	x.Release()
}
