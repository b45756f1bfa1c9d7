package ndarray_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	_ "github.com/weft-nd/weft/kernels/sim"
	nd "github.com/weft-nd/weft/ndarray"
)

func TestArraysOnADeviceAreReadPrintedAndSavedFromTheHost(t *testing.T) {
	x := floats(2, 3).To(device.Sim(0))
	y := x.T().AddScalar(1).Mul(nd.Weak(int64(2))).Add(nd.FullIn(x.Env(), x.DType(), 1, 3, 2))
	require.Equal(t, device.Sim(0), y.Device())
	require.Equal(t, []float32{3, 9, 5, 11, 7, 13}, values[float32](t, y))
	require.Equal(t, []float32{3, 5, 7, 9, 11, 13}, values[float32](t, y.T()))
	require.Equal(t, "[[3. 5. 7.]] float32 (1,3) sim(0)", fmt.Sprintf("%+v", y.T().Index(nd.Span(0, 1))))
	nd.Set[float32](y, 100, 0, 0)
	y.SetSlice(nd.Weak(0.5), -1)
	v, err := nd.At[float32](y.To(device.CPU(0)).Copy(), 0, 0)
	require.NoError(t, err)
	require.EqualValues(t, 100, v)
	var file bytes.Buffer
	require.NoError(t, nd.WriteNPY(&file, y))
	back, err := nd.ReadNPY(&file)
	require.NoError(t, err)
	require.Equal(t, []float32{100, 9, 5, 11, 0.5, 0.5}, values[float32](t, back))
	require.Equal(t, []float32{0, 0}, values[float32](t, nd.ZerosIn(x.Env(), x.DType(), 2)))
}

func TestArraysOfTwoDevicesDoNotMeet(t *testing.T) {
	x := floats(2)
	err := mistake(t, func() { x.To(device.Sim(0)).Add(x) })
	require.ErrorIs(t, err, fault.ErrDevice)
	require.Contains(t, err.Error(), "sim(0) and cpu(0)")
}
