package cuda

import (
	"fmt"
	"math"
	"slices"

	"github.com/weft-nd/weft/device"
)

// Convolutions are products of matrices, of which one is gathered while it is read; see conv.cu.
var (
	// convForward: filters times the data under them, of Inputs data, weights and perhaps bias.
	convForward = recipe{kernel: "conv", run: func(l *launcher, a *device.Arguments) error {
		c := newConv(a, a.Inputs[0], a.Outputs[0], a.Inputs[1])
		return l.convolve(c.forward(), a.Outputs[0], append([]device.View{a.Inputs[1], a.Inputs[0]}, a.Inputs[2:]...))
	}}
	// convData: filters times what of the gradient of the result, Inputs[0], they have given rise to, or the transpose of a convolution.
	convData = recipe{kernel: "conv", run: func(l *launcher, a *device.Arguments) error {
		c := newConv(a, a.Outputs[0], a.Inputs[0], a.Inputs[1])
		return l.convolve(c.ofData(), a.Outputs[0], []device.View{a.Inputs[1], a.Inputs[0]})
	}}
	// convWeights: the gradient of the result, Inputs[1], times data.
	convWeights = recipe{floats: true, kernel: "conv", scratch: convWeightsScratch, run: runConvWeights}
)

// conv is a convolution of images with three spatial axes, of which some may have one element.
type conv struct {
	groups, batch, channels, filters int // channels and filters of a group
	data, result, weights            device.View
	stride, dilation, before         [3]int
}

// newConv reads Integers as kernels/cpu/convolution.go does.
func newConv(a *device.Arguments, data, result, weights device.View) conv {
	c := conv{groups: int(a.Integers[1]), stride: [3]int{1, 1, 1}, dilation: [3]int{1, 1, 1}}
	missing := 5 - len(data.Shape)
	for axis := missing; axis < 3; axis++ {
		of := a.Integers[2+3*(axis-missing):]
		c.stride[axis], c.dilation[axis], c.before[axis] = int(of[0]), int(of[1]), int(of[2])
	}
	c.data, c.result, c.weights = withAxes(data), withAxes(result), withAxes(weights)
	c.batch, c.channels, c.filters = data.Shape[0], weights.Shape[1], weights.Shape[0]/c.groups
	return c
}

// withAxes gives a view five axes.
func withAxes(v device.View) device.View {
	missing := 5 - len(v.Shape)
	v.Shape = slices.Insert(slices.Clone(v.Shape), 2, slices.Repeat([]int{1}, missing)...)
	v.Strides = slices.Insert(slices.Clone(v.Strides), 2, make([]int, missing)...)
	return v
}

// gathering is struct Product of conv.cu.
type gathering struct {
	rows                                        int
	columns, depths                             [4]int
	aRow                                        int
	aDepth                                      [4]int
	bColumn, bDepth                             int
	bNext, limit, divisor                       [3]int
	columnMultiple, depthMultiple, shift        [3]int
	cRow                                        int
	cColumn                                     [4]int
	groups, aGroup, bGroup, cGroup, part, cPart int
}

// four returns a first number and three spatial ones.
func four(first int, spatial []int) [4]int { return [4]int{first, spatial[0], spatial[1], spatial[2]} }

func negative(x [3]int) [3]int { return [3]int{-x[0], -x[1], -x[2]} }

var ones3 = [3]int{1, 1, 1}

func (c *conv) forward() gathering {
	x, y, w := c.data, c.result, c.weights
	return gathering{
		rows: c.filters, columns: four(c.batch, y.Shape[2:]), depths: four(c.channels, w.Shape[2:]),
		aRow: w.Strides[0], aDepth: four(w.Strides[1], w.Strides[2:]),
		bColumn: x.Strides[0], bDepth: x.Strides[1], bNext: [3]int(x.Strides[2:]), limit: [3]int(x.Shape[2:]), divisor: ones3,
		columnMultiple: c.stride, depthMultiple: c.dilation, shift: negative(c.before),
		cRow: y.Strides[1], cColumn: four(y.Strides[0], y.Strides[2:]),
		groups: c.groups, aGroup: c.filters * w.Strides[0], bGroup: c.channels * x.Strides[1], cGroup: c.filters * y.Strides[1],
	}
}

func (c *conv) ofData() gathering {
	x, y, w := c.data, c.result, c.weights
	return gathering{
		rows: c.channels, columns: four(c.batch, x.Shape[2:]), depths: four(c.filters, w.Shape[2:]),
		aRow: w.Strides[1], aDepth: four(w.Strides[0], w.Strides[2:]),
		bColumn: y.Strides[0], bDepth: y.Strides[1], bNext: [3]int(y.Strides[2:]), limit: [3]int(y.Shape[2:]), divisor: c.stride,
		columnMultiple: ones3, depthMultiple: negative(c.dilation), shift: c.before,
		cRow: x.Strides[1], cColumn: four(x.Strides[0], x.Strides[2:]),
		groups: c.groups, aGroup: c.filters * w.Strides[0], bGroup: c.filters * y.Strides[1], cGroup: c.channels * x.Strides[1],
	}
}

// ofWeights is the gradient of the weights, which it has in row-major order.
func (c *conv) ofWeights() gathering {
	x, y, w := c.data, c.result, c.weights
	size := elements(w.Shape[2:])
	return gathering{
		rows: c.filters, columns: four(c.channels, w.Shape[2:]), depths: four(c.batch, y.Shape[2:]),
		aRow: y.Strides[1], aDepth: four(y.Strides[0], y.Strides[2:]),
		bColumn: x.Strides[1], bDepth: x.Strides[0], bNext: [3]int(x.Strides[2:]), limit: [3]int(x.Shape[2:]), divisor: ones3,
		columnMultiple: c.dilation, depthMultiple: c.stride, shift: negative(c.before),
		cRow: c.channels * size, cColumn: [4]int{size, w.Shape[3] * w.Shape[4], w.Shape[4], 1},
		groups: c.groups, aGroup: c.filters * y.Strides[1], bGroup: c.channels * x.Strides[1], cGroup: c.filters * c.channels * size,
	}
}

// The tile of a block, and about how many blocks there are where k has elements enough for them.
const (
	tileRows, tileColumns, tileDepth = 32, 64, 16
	convBlocks, leastPart            = 512, 1024
)

func ceil(x, y int) int { return (x + y - 1) / y }

// parts returns how many parts k is cut into.
func (g *gathering) parts() int {
	if g.part == 0 {
		return 1
	}
	return max(1, ceil(elements(g.depths[:]), g.part))
}

// cut divides k into parts, by shapes alone.
func (g *gathering) cut() {
	depth := elements(g.depths[:])
	tiles := max(1, g.groups*ceil(g.rows, tileRows)*ceil(elements(g.columns[:]), tileColumns))
	parts := max(1, min(ceil(depth, leastPart), convBlocks/tiles))
	g.part = max(1, ceil(ceil(depth, parts), tileDepth)) * tileDepth
	g.cPart = g.groups * g.cGroup
}

// integers returns struct Product.
func (g *gathering) integers(bias []device.View) ([]int64, error) {
	part := g.part
	if part == 0 {
		part = max(1, elements(g.depths[:]))
	}
	all := []int64{}
	for _, list := range [][]int{
		{g.rows}, g.columns[:], g.depths[:], {g.aRow}, g.aDepth[:], {g.bColumn, g.bDepth}, g.bNext[:], g.limit[:], g.divisor[:],
		g.columnMultiple[:], g.depthMultiple[:], g.shift[:], {g.cRow}, g.cColumn[:], {g.groups, g.aGroup, g.bGroup, g.cGroup, part, g.cPart},
	} {
		for _, v := range list {
			all = append(all, int64(v))
		}
	}
	for axis := range 3 { // coordinates have 32 bits
		reach := abs(g.columns[1+axis]*g.columnMultiple[axis]) + abs(g.depths[1+axis]*g.depthMultiple[axis]) + abs(g.shift[axis])
		if reach > math.MaxInt32 {
			return nil, fmt.Errorf("a convolution on a GPU reaches %d elements along an axis, more than %d", reach, math.MaxInt32)
		}
	}
	if len(bias) == 0 {
		return append(all, 0, 0), nil
	}
	return append(all, 1, int64(bias[0].Strides[0])), nil
}

func abs(x int) int { return max(x, -x) }

// tiles returns how many blocks struct Product has work for.
func tiles(integers []int64) int {
	columns, parts := 1, 1
	for i := range 4 {
		columns *= int(integers[1+i])
		parts *= int(integers[5+i])
	}
	rows, groups, part := int(integers[0]), int(integers[productGroups]), int(integers[productGroups+4])
	return ceil(rows, tileRows) * ceil(columns, tileColumns) * groups * max(1, ceil(parts, part))
}

// productGroups is the place of groups in struct Product.
const productGroups = 39

// convolve enqueues a product into result of operands A, B and perhaps a bias.
func (l *launcher) convolve(g gathering, result device.View, operands []device.View) error {
	if g.rows*elements(g.columns[:])*g.groups == 0 {
		return nil
	}
	integers, err := g.integers(operands[2:])
	if err != nil {
		return err
	}
	for i, v := range operands {
		if v.Count() == 0 { // nothing is read there
			operands[i] = device.View{}
		}
	}
	return l.launch("conv", l.types, &device.Arguments{Outputs: []device.View{result}, Inputs: operands, Integers: integers})
}

func weightsGradient(a *device.Arguments) (gathering, device.View) {
	c := newConv(a, a.Inputs[0], a.Inputs[1], a.Outputs[0])
	g := c.ofWeights()
	g.cut()
	return g, c.weights
}

// runConvWeights computes sums of parts, and adds them.
func runConvWeights(l *launcher, a *device.Arguments) error {
	g, weights := weightsGradient(a)
	size, parts := elements(weights.Shape), g.parts()
	if size == 0 {
		return nil
	}
	sums := device.View{Pointer: a.Scratch, DType: weights.DType}
	if err := l.convolve(g, sums, []device.View{a.Inputs[1], a.Inputs[0]}); err != nil {
		return err
	}
	sums.Shape = append(slices.Clone(weights.Shape), parts)
	sums.Strides = make([]int, 6)
	next := 1
	for axis := 4; axis >= 0; axis-- {
		sums.Strides[axis] = next
		next *= weights.Shape[axis]
	}
	sums.Strides[5] = size
	return l.fold("sum", &device.Arguments{Outputs: []device.View{weights}, Inputs: []device.View{sums}, Integers: []int64{1, 0}})
}

func convWeightsScratch(a *device.Arguments) int {
	g, weights := weightsGradient(a)
	return g.parts() * elements(weights.Shape) * weights.DType.Size()
}
