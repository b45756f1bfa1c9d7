package ndarray_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"

	_ "github.com/weft-nd/weft/kernels/sim"
)

// readers are the functions that read files into an Env, from what write makes of an array named a.
var readers = map[string]struct {
	write func(w io.Writer, a *nd.Array) error
	read  func(env *nd.Env, path string, file []byte) (*nd.Array, error)
}{
	"ReadNPYIn": {nd.WriteNPY, func(env *nd.Env, _ string, file []byte) (*nd.Array, error) {
		return nd.ReadNPYIn(env, bytes.NewReader(file))
	}},
	"LoadNPYIn": {nd.WriteNPY, func(env *nd.Env, path string, _ []byte) (*nd.Array, error) { return nd.LoadNPYIn(env, path) }},
	"ReadNPZIn": {writeNPZ, func(env *nd.Env, _ string, file []byte) (*nd.Array, error) {
		arrays, err := nd.ReadNPZIn(env, bytes.NewReader(file), int64(len(file)))
		return arrays["a"], err
	}},
	"LoadNPZIn": {writeNPZ, func(env *nd.Env, path string, _ []byte) (*nd.Array, error) {
		arrays, err := nd.LoadNPZIn(env, path)
		return arrays["a"], err
	}},
	"ReadSafetensorsIn": {writeSafetensors, func(env *nd.Env, _ string, file []byte) (*nd.Array, error) {
		arrays, _, err := nd.ReadSafetensorsIn(env, bytes.NewReader(file))
		return arrays["a"], err
	}},
	"LoadSafetensorsIn": {writeSafetensors, func(env *nd.Env, path string, _ []byte) (*nd.Array, error) {
		arrays, _, err := nd.LoadSafetensorsIn(env, path)
		return arrays["a"], err
	}},
	"UnmarshalBinary": {nd.WriteNPY, func(env *nd.Env, _ string, file []byte) (*nd.Array, error) {
		a := nd.ZerosIn(env, dtype.Bool)
		return a, a.UnmarshalBinary(file)
	}},
}

func writeNPZ(w io.Writer, a *nd.Array) error { return nd.WriteNPZ(w, map[string]*nd.Array{"a": a}) }

func writeSafetensors(w io.Writer, a *nd.Array) error {
	return nd.WriteSafetensors(w, map[string]*nd.Array{"a": a}, nil)
}

// TestFilesAreReadIntoTheGivenEnv gives an engine of its own, on the CPU and on a device with memory of its own.
func TestFilesAreReadIntoTheGivenEnv(t *testing.T) {
	own, err := engine.New("perdevice")
	require.NoError(t, err)
	defer func() { require.NoError(t, own.Close(context.Background())) }()
	host := ops.NewEnv(own)
	for name, r := range readers {
		var file bytes.Buffer
		require.NoError(t, r.write(&file, floats(3, 4)))
		path := filepath.Join(t.TempDir(), "a")
		require.NoError(t, os.WriteFile(path, file.Bytes(), 0o600))
		for _, env := range []*nd.Env{host, host.WithDevice(device.Sim(0)), nd.DefaultEnv()} {
			a, err := r.read(env, path, file.Bytes())
			require.NoError(t, err, name)
			require.Same(t, env, a.Env(), name)
			require.Equal(t, values[float32](t, floats(3, 4).AddScalar(1)), values[float32](t, a.Add(nd.OnesIn(env, dtype.Float32))), name)
		}
		if name == "UnmarshalBinary" {
			continue // it has no Env to be given
		}
		require.ErrorIs(t, mistake(t, func() { _, _ = r.read(nil, path, file.Bytes()) }), fault.ErrMisuse, name)
		_, err := r.read(host, path, file.Bytes()[:9])
		if bytes.HasPrefix([]byte(name), []byte("Read")) {
			require.ErrorContains(t, err, "weft: "+name+": ", name)
		}
	}
}

func TestTheZeroArrayIsUnmarshalledIntoTheDefaultEnv(t *testing.T) {
	file, err := floats(2).MarshalBinary()
	require.NoError(t, err)
	var a nd.Array
	require.NoError(t, a.UnmarshalBinary(file))
	require.Same(t, nd.DefaultEnv(), a.Env())
	require.Equal(t, []float32{0, 1}, values[float32](t, &a))
}
