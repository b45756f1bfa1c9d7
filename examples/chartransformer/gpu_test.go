//go:build linux && amd64

package main

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/kernels/cuda/cudatest"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/train"
)

// trained makes three steps and writes ten characters on a device. No operator of these falls back.
func trained(t *testing.T, device string) (losses []float64, text string) {
	t.Helper()
	o, err := parseOptions([]string{"-layers", "1", "-heads", "2", "-width", "8", "-context", "12", "-batch", "2", "-steps", "3", "-dropout", "0.1", "-device", device}, io.Discard)
	require.NoError(t, err)
	c, err := newCorpus(rhyme, o.context)
	require.NoError(t, err)
	tr := newTrainer(o, c, io.Discard)
	tr.Callbacks = append(tr.Callbacks, train.Func(func(_ context.Context, e *train.Event) error {
		if e.Kind == train.Stepped {
			losses = append(losses, e.Loss)
		}
		return nil
	}))
	weights := ops.Fallbacks() // are drawn on the CPU
	require.NoError(t, tr.learn(t.Context()))
	o.length = 10
	prompt, err := c.encode(rhyme[:5])
	require.NoError(t, err)
	written, err := tr.write(t.Context(), prompt)
	require.NoError(t, err)
	require.Equal(t, weights, ops.Fallbacks())
	return losses, c.decode(written)
}

func TestGPULearnsAsTheCPU(t *testing.T) {
	cudatest.Install(t)
	want, wantText := trained(t, "cpu(0)")
	got, text := trained(t, "gpu(0)")
	require.Len(t, want, 3)
	require.InDeltaSlice(t, want, got, 1e-4)
	require.Equal(t, wantText, text)
}
