package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// RescaleParams are the parameters of rescale.
type RescaleParams struct {
	Factor float64 `doc:"what to multiply with; an integer if the elements are"`
}

// What Caffe's blobs compute.
var (
	// When diff is in error the update is skipped: data stays as it is, and the error is that of the result.
	Update = Register(&Operator{
		Name: "update", Doc: "data − diff, in place of data; integers wrap round; the result, a 0-d bool, is true when that is done",
		Inputs: []string{"data", "diff"}, Accepts: reals, KeepOnSkip: true,
		Mutates: func(_ *Call, i int) bool { return i == 0 },
		Infer: func(c *Call) {
			data, diff := c.Inputs[0], c.Inputs[1]
			if !slices.Equal(data.Shape, diff.Shape) {
				c.Fail(fault.ErrShape, fmt.Sprintf("data has shape %s and diff %s", fault.FormatShape(data.Shape), fault.FormatShape(diff.Shape)))
			}
			if data.DType != diff.DType {
				c.Fail(fault.ErrDType, fmt.Sprintf("data is %v and diff %v", data.DType, diff.DType))
			}
			c.Output(dtype.Bool, nil)
		},
		Lower: func(c *Call, l *Lowered) {
			data, diff := l.Outputs[0], l.Inputs[0]
			if data.Synced == diff.Synced && !(data.Offset == diff.Offset && slices.Equal(data.Strides, diff.Strides)) {
				dataLo, dataHi := data.Extent()
				diffLo, diffHi := diff.Extent()
				if dataLo < diffHi && diffLo < dataHi {
					c.Fail(fault.ErrMisuse, "data and diff share memory")
				}
			}
		},
		Work:    perOperandElement,
		Samples: []Sample{{Shapes: [][]int{{2, 3}, {2, 3}}}, {Shapes: [][]int{{}, {}}}, {Shapes: [][]int{{0, 3}, {0, 3}}}, {Shapes: [][]int{{1000}, {1000}}}},
	})

	Rescale = Register(&Operator{
		Name: "rescale", Doc: "x times a number, in place of x; integers wrap round; the result, a 0-d bool, is true when that is done",
		Inputs: []string{"x"}, Params: RescaleParams{}, Accepts: reals, KeepOnSkip: true,
		Mutates: func(*Call, int) bool { return true },
		Infer: func(c *Call) {
			factor, whole := c.Params.(RescaleParams).Factor, c.Inputs[0].DType.IsInteger()
			if whole && (factor != math.Trunc(factor) || math.Abs(factor) > 1<<53) {
				c.Fail(fault.ErrParameter, fmt.Sprintf("%v is no integer up to 2⁵³, which elements of %v need", factor, c.Inputs[0].DType))
			}
			c.Output(dtype.Bool, nil)
		},
		Lower: func(c *Call, l *Lowered) {
			factor := c.Params.(RescaleParams).Factor
			l.Integers, l.Scalars = []int64{0}, []float64{factor}
			if c.Inputs[0].DType.IsInteger() {
				l.Integers[0] = int64(factor)
			}
		},
		Work: perOperandElement,
		Samples: []Sample{
			{Shapes: [][]int{{2, 3}}, Params: RescaleParams{3}}, {Shapes: [][]int{{}}, Params: RescaleParams{-1}}, {Shapes: [][]int{{0, 4}}, Params: RescaleParams{2}},
			{Shapes: [][]int{{1000}}, Params: RescaleParams{}},
		},
	})
)

// reals are the element types that update and rescale take.
var reals = []dtype.DType{
	dtype.Float32, dtype.Float64, dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64, dtype.Uint8, dtype.Uint16, dtype.Uint32,
}
