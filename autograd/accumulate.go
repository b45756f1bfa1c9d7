package autograd

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// GradientInto writes the gradients that Gradient would return to dsts: one for each source, of its shape, dtype and device.
// Other dsts panic with *nd.Error before the tape is used. A destination that is the loss or was saved by the tape may be
// written: the tape lets go of it first, unless it is persistent.
func (t *Tape) GradientInto(dsts []*nd.Array, loss *nd.Array, sources ...*nd.Array) {
	checkDestinations("GradientInto", dsts, sources)
	for i, gradient := range t.Gradient(loss, sources...) {
		nd.CopyInto(dsts[i], gradient)
	}
}

// GradientAddInto adds the gradients that Gradient would return to dsts, which are as in GradientInto: so gradients are
// accumulated over several losses, or over parts of a batch that is too large for memory. A source that is given twice may have
// one destination: both gradients are added.
func (t *Tape) GradientAddInto(dsts []*nd.Array, loss *nd.Array, sources ...*nd.Array) {
	checkDestinations("GradientAddInto", dsts, sources)
	for i, gradient := range t.Gradient(loss, sources...) {
		nd.AddInto(dsts[i], dsts[i], gradient)
	}
}

// checkDestinations fails, two frames up, unless the gradients of sources fit dsts.
func checkDestinations(operator string, dsts, sources []*nd.Array) {
	fail := func(reason error, detail string) {
		panic(&nd.Error{Operator: operator, Detail: detail, Cause: reason, Site: fault.Here(3)})
	}
	if len(dsts) != len(sources) {
		fail(fault.ErrMisuse, fmt.Sprintf("%d destinations for %d sources", len(dsts), len(sources)))
	}
	for i, dst := range dsts {
		source := sources[i]
		switch {
		case dst == nil || source == nil:
			fail(fault.ErrMisuse, fmt.Sprintf("destination or source %d is nil", i))
		case !slices.Equal(dst.Shape(), source.Shape()):
			fail(fault.ErrShape, fmt.Sprintf("destination %d has shape %s, the source %s",
				i, fault.FormatShape(dst.Shape()), fault.FormatShape(source.Shape())))
		case dst.Detach() != dst:
			fail(fault.ErrMisuse, fmt.Sprintf("destination %d is watched by a tape", i))
		case dst.DType() != source.DType():
			fail(fault.ErrDType, fmt.Sprintf("destination %d has dtype %v, the source %v", i, dst.DType(), source.DType()))
		case dst.Device() != source.Device():
			fail(fault.ErrDevice, fmt.Sprintf("destination %d is on %v, the source on %v", i, dst.Device(), source.Device()))
		}
	}
}
