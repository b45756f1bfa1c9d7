package ndarray

import "github.com/weft-nd/weft/ops"

// Capture is a part of a program that has run once, with Env.Capture, and that Capture.Replay runs again at a fraction of the cost, on
// GPUs by one call of the driver. Arrays that have an operand in the Env of the capture are written again, in place, by each Replay; what
// the program reads outside, it sees there.
type Capture = ops.Capture

// InOneCapture returns arrays, some of which may be nil, as they are or, while a capture keeps the calls of one of
// them, all in that capture: a function of several arrays calls it before it computes anything of one of them alone, so
// that the capture has that, too. The memory is shared.
func InOneCapture(arrays ...*Array) []*Array {
	for _, a := range arrays {
		if a == nil || !a.Env().Captures() {
			continue
		}
		joint := make([]*Array, len(arrays))
		for i, b := range arrays {
			if b != nil {
				joint[i] = (*Array)(b.tensor().InCaptureOf(a.tensor()))
			}
		}
		return joint
	}
	return arrays
}
