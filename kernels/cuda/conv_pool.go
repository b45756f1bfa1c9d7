package cuda

import (
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// A convolution of images that is looked at through windows, and its gradients: see kernels/cpu/convolution_pool.go. What the convolution
// gives is in temporary memory.
var (
	convMaxPool                = recipe{floats: true, kernel: "conv", scratch: convMaxPoolScratch, workspace: of(driver.ToResult, resultArguments), run: runConvMaxPool}
	convMaxPoolGradientData    = recipe{floats: true, kernel: "conv", scratch: sparseDataScratch, workspace: of(driver.ToData, dataArguments), run: sparseData}
	convMaxPoolGradientWeights = recipe{floats: true, kernel: "conv", scratch: sparseWeightsScratch, workspace: of(driver.ToWeights, weightsArguments), run: sparseWeights}
)

// of returns what gives the temporary memory of the convolution that a call contains.
func of(direction driver.Direction, contained func(a *device.Arguments) (*device.Arguments, int)) func(u *unit, a *device.Arguments) int {
	return func(u *unit, a *device.Arguments) int {
		c, _ := contained(a)
		return u.convolutionScratch(direction, c)
	}
}

// poolIntegers is where integers after those of a convolution with two axes are: rows and columns of its result, those of the window, and
// 1 if it is rectified.
const poolIntegers = 8

// resultOf returns the result of the convolution of data by weights, row-major at a.Scratch, what is behind it, and its bytes.
func resultOf(a *device.Arguments, data, weights device.View) (result device.View, behind device.Pointer, bytes int) {
	of := a.Integers[poolIntegers:]
	result = rowMajor(a.Scratch, data.DType, []int{data.Shape[0], weights.Shape[0], int(of[0]), int(of[1])})
	bytes = (result.Count()*data.DType.Size() + 15) &^ 15
	return result, a.Scratch.Add(bytes), bytes
}

// resultArguments are those of the convolution.
func resultArguments(a *device.Arguments) (c *device.Arguments, bytes int) {
	result, behind, bytes := resultOf(a, a.Inputs[0], a.Inputs[1])
	return &device.Arguments{
		Outputs: []device.View{result}, Inputs: a.Inputs, Integers: a.Integers[:poolIntegers], Scratch: behind, ScratchBytes: a.ScratchBytes - bytes,
	}, bytes
}

func convMaxPoolScratch(a *device.Arguments) int {
	_, bytes := resultArguments(a)
	return bytes
}

// runConvMaxPool computes the maxima of windows and their positions, of Inputs data, weights and bias.
func runConvMaxPool(l *launcher, a *device.Arguments) error {
	if a.Outputs[0].Count() == 0 {
		return nil
	}
	c, _ := resultArguments(a)
	result := c.Outputs[0]
	if err := l.convolution(driver.ToResult, c, convForward.run); err != nil {
		return err
	}
	window := a.Integers[poolIntegers+2:]
	side := []int64{1, window[0], window[1]}
	integers := slices.Concat(side, side, []int64{1, 1, 1}, make([]int64, 7))
	outputs := []device.View{withAxes(a.Outputs[0]), withAxes(a.Outputs[1])}
	err := l.overWindows("max_pool", &device.Arguments{Outputs: outputs, Inputs: []device.View{withAxes(result)}, Integers: integers}, withAxes(result).Shape, outputs[0].Shape)
	if err != nil || len(window) < 3 {
		return err
	}
	return l.launch("rectify", l.types, &device.Arguments{Outputs: a.Outputs})
}

// spreadOut enqueues what makes a gradient of the convolution's result of one of chosen elements, and their positions.
func (l *launcher) spreadOut(result, upstream, positions device.View) error {
	return maxPoolGradient(l, &device.Arguments{
		Outputs: []device.View{withAxes(result)}, Inputs: []device.View{withAxes(upstream), withAxes(positions)},
	})
}

// dataArguments are those of the gradient of the data, behind the gradient of the convolution's result.
func dataArguments(a *device.Arguments) (c *device.Arguments, bytes int) {
	result, behind, bytes := resultOf(a, a.Outputs[0], a.Inputs[2])
	return &device.Arguments{
		Outputs: a.Outputs, Inputs: []device.View{result, a.Inputs[2]}, Integers: a.Integers[:poolIntegers], Scratch: behind, ScratchBytes: a.ScratchBytes - bytes,
	}, bytes
}

func sparseDataScratch(a *device.Arguments) int {
	_, bytes := dataArguments(a)
	return bytes
}

// sparseData computes the gradient of data, of Inputs upstream, positions and weights.
func sparseData(l *launcher, a *device.Arguments) error {
	c, _ := dataArguments(a)
	if err := l.spreadOut(c.Inputs[0], a.Inputs[0], a.Inputs[1]); err != nil {
		return err
	}
	return l.convolution(driver.ToData, c, convData.run)
}

// weightsArguments are those of the gradient of the weights, behind the gradient of the convolution's result.
func weightsArguments(a *device.Arguments) (of *device.Arguments, bytes int) {
	result, behind, bytes := resultOf(a, a.Inputs[0], a.Outputs[0])
	return &device.Arguments{
		Outputs: a.Outputs[:1], Inputs: []device.View{a.Inputs[0], result}, Integers: a.Integers[:poolIntegers], Scratch: behind,
		ScratchBytes: a.ScratchBytes - bytes,
	}, bytes
}

func sparseWeightsScratch(a *device.Arguments) int {
	of, bytes := weightsArguments(a)
	shape := of.Inputs[1].Shape
	return bytes + max(convWeightsScratch(of), foldScratch(shape[1], shape[0]*shape[2]*shape[3]))
}

// sparseWeights computes the gradients of weights and bias, of Inputs data, upstream and positions.
func sparseWeights(l *launcher, a *device.Arguments) error {
	of, _ := weightsArguments(a)
	result := of.Inputs[1]
	if err := l.spreadOut(result, a.Inputs[1], a.Inputs[2]); err != nil {
		return err
	}
	if err := l.convolution(driver.ToWeights, of, convWeights.run); err != nil {
		return err
	}
	return l.fold("sum", &device.Arguments{
		Outputs: a.Outputs[1:], Inputs: []device.View{permuted(result, []int{1, 0, 2, 3})}, Integers: []int64{3, 0}, Scratch: of.Scratch,
	})
}
