package cudatest

import (
	"errors"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// newDNN returns a handle of cuDNN, and skips the test where the driver has none.
func (s *suite) newDNN() driver.DNN {
	d, err := s.NewDNN(s.stream)
	if errors.Is(err, errors.ErrUnsupported) {
		s.Skip(err)
	}
	require.NoError(s, err)
	return d
}

// convolve computes c, which a handle without a stream chooses an algorithm for, and returns the error of either.
func (s *suite) convolve(c driver.Convolution, at driver.Convolved) error {
	d := s.newDNN()
	planner, err := s.NewDNN(0)
	require.NoError(s, err)
	a, err := planner.Choose(&c)
	require.NoError(s, planner.Close())
	if err == nil {
		if a.Workspace > 0 {
			at.Workspace = upload(s, make([]byte, a.Workspace)...)
		}
		err = d.Convolve(&c, a, &at)
	}
	require.NoError(s, s.Synchronize(s.stream))
	require.NoError(s, d.Close())
	return err
}

// twoGroups is a convolution of a line of 4 elements in 2 channels by a filter of 2 elements for each.
var twoGroups = driver.Convolution{
	Precision: driver.Float32, Axes: 2, Images: 1, Groups: 2, Channels: 2, Filters: 2,
	Data: [3]int{1, 1, 4}, Weights: [3]int{1, 1, 2}, Result: [3]int{1, 1, 3}, Stride: [3]int{1, 1, 2}, Dilation: [3]int{1, 1, 1}, Padding: [3]int{0, 0, 1},
}

func convolutions(s *suite) {
	x, w := upload[float32](s, 1, 2, 3, 4, 5, 6, 7, 8), upload[float32](s, 1, 10, 2, 20)
	y, g := upload[float32](s, 1, 1, 1, 1, 1, 1), upload[float32](s, 1, 2, 3, 4, 5, 6)
	for _, c := range []struct {
		add  bool
		want []float32
	}{{false, []float32{10, 32, 4, 100, 152, 16}}, {true, []float32{20, 64, 8, 200, 304, 32}}} {
		require.NoError(s, s.convolve(twoGroups, driver.Convolved{Data: x, Weights: w, Result: y, Add: c.add}))
		require.Equal(s, c.want, download[float32](s, y, 6))
	}
	to := twoGroups
	to.Direction = driver.ToData
	dx := upload(s, make([]float32, 8)...)
	require.NoError(s, s.convolve(to, driver.Convolved{Data: dx, Weights: w, Result: g}))
	require.Equal(s, []float32{10, 2, 20, 3, 80, 10, 100, 12}, download[float32](s, dx, 8))
	to.Direction = driver.ToWeights
	dw := upload(s, make([]float32, 4)...)
	require.NoError(s, s.convolve(to, driver.Convolved{Data: x, Weights: dw, Result: g}))
	require.Equal(s, []float32{2*2 + 4*3, 1 + 3*2, 6*5 + 8*6, 5*4 + 7*5}, download[float32](s, dw, 4))
}

// convolutionsOfEveryPrecision computes 3·2 in three dimensions.
func convolutionsOfEveryPrecision(s *suite) {
	ones := [3]int{1, 1, 1}
	one := driver.Convolution{Axes: 3, Images: 1, Groups: 1, Channels: 1, Filters: 1, Data: ones, Weights: ones, Result: ones, Stride: ones, Dilation: ones}
	compute := func(p driver.Precision, x, w, y driver.Address) {
		c := one
		c.Precision = p
		require.NoError(s, s.convolve(c, driver.Convolved{Data: x, Weights: w, Result: y}))
	}
	single, double := upload[float32](s, 0), upload[float64](s, 0)
	half, brain := upload(s, dtype.ToF16(0)), upload(s, dtype.ToBF16(0))
	compute(driver.Float32, upload[float32](s, 3), upload[float32](s, 2), single)
	compute(driver.Float64, upload[float64](s, 3), upload[float64](s, 2), double)
	compute(driver.Float16, upload(s, dtype.ToF16(3)), upload(s, dtype.ToF16(2)), half)
	compute(driver.BFloat16, upload(s, dtype.ToBF16(3)), upload(s, dtype.ToBF16(2)), brain)
	require.EqualValues(s, 6, download[float32](s, single, 1)[0])
	require.EqualValues(s, 6, download[float64](s, double, 1)[0])
	require.EqualValues(s, 6, download[dtype.F16](s, half, 1)[0].Float32())
	require.EqualValues(s, 6, download[dtype.BF16](s, brain, 1)[0].Float32())
	fine := 1 + float32(1)/4096 // more bits than TF32 has
	compute(driver.Float32, upload(s, fine), upload[float32](s, 1), single)
	require.Equal(s, fine, download[float32](s, single, 1)[0])
	if s.fake != nil { // A GPU without TF32 computes it in float32.
		compute(driver.TF32, upload(s, fine), upload[float32](s, 1), single)
		require.EqualValues(s, 1, download[float32](s, single, 1)[0])
	}
}

// refusedConvolutions are those that do not fit, and those of a device on which there is no algorithm.
func refusedConvolutions(s *suite) {
	wrong := twoGroups
	wrong.Result[2] = 4
	err := s.convolve(wrong, driver.Convolved{})
	var refused *driver.DNNError
	if s.fake != nil || !errors.Is(err, errors.ErrUnsupported) { // which a library may say of it, or that it has no algorithm
		require.ErrorAs(s, err, &refused)
		require.Regexp(s, "^cudnn[A-Z].*: CUDNN_STATUS_BAD_PARAM", refused.Error())
		require.ErrorIs(s, err, fault.ErrDevice)
	}
	convolutions(s)
	if s.fake == nil {
		return
	}
	s.fake.Set("dnnDevices", 0)
	require.ErrorIs(s, s.convolve(twoGroups, driver.Convolved{}), errors.ErrUnsupported)
	s.fake.Set("dnnDevices", -1)
	huge := twoGroups // its only algorithm takes 2 GiB
	huge.Groups, huge.Channels, huge.Filters, huge.Weights[2] = 1, 1<<14, 1<<14, 2
	require.ErrorIs(s, s.convolve(huge, driver.Convolved{}), errors.ErrUnsupported)
	s.fake.Set("dnnCreateFails", 1)
	_, err = s.NewDNN(s.stream)
	require.ErrorIs(s, err, fault.ErrOutOfMemory)
	x := upload(s, make([]float32, 8)...)
	s.fake.Set("dnnFails", 1)
	err = s.convolve(twoGroups, driver.Convolved{Data: x, Weights: x, Result: x})
	require.ErrorContains(s, err, "cudnnConvolutionForward: CUDNN_STATUS_EXECUTION_FAILED")
	convolutions(s)
	require.Zero(s, s.fake.Get("dnnHandles"))
}
