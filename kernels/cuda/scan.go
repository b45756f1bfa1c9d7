package cuda

import (
	"math"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
)

// scan runs a cumulative kernel along the last axis of Inputs[0]; see scan.cu. Outputs[1], if there is one, is filled with the result of
// no elements.
func scan(operator string) recipe {
	return recipe{run: func(l *launcher, a *device.Arguments) error {
		if len(a.Outputs) > 1 {
			number, integer := ofNone(operator, a.Outputs[1].DType)
			if err := l.fill(a.Outputs[1], number, integer); err != nil {
				return err
			}
		}
		return l.launch(operator, l.types, &device.Arguments{Outputs: a.Outputs[:1], Inputs: a.Inputs})
	}}
}

// ofNone returns what a cumulative operator makes of no elements: as a float, and the bits of an integer of type d.
func ofNone(operator string, d dtype.DType) (float64, int64) {
	low, high := int64(0), int64(1)
	bits := 8 * d.Size()
	switch d.Kind() {
	case dtype.KindUnsigned:
		high = int64(^uint64(0) >> (64 - bits))
	case dtype.KindSigned:
		low, high = -1<<(bits-1), 1<<(bits-1)-1
	}
	switch operator {
	case "cumprod":
		return 1, 1
	case "cummax":
		return math.Inf(-1), low
	case "cummin":
		return math.Inf(1), high
	}
	return 0, 0
}
