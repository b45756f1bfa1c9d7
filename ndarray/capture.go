package ndarray

import "github.com/weft-nd/weft/ops"

// Capture is a part of a program that has run once, by Env.Capture, and that Capture.Replay runs again at a fraction of the
// cost, on GPUs by one call of the driver. Each Replay writes the results of operators in the Env of the capture again, in
// place, and reads other arrays as they are then.
type Capture = ops.Capture

// InOneCapture returns handles on arrays, some of which may be nil. While a capture keeps the calls of one of them, all are in
// that capture; otherwise they are as they were. A function of several arrays calls it before it computes anything from one of
// them alone, so that the capture keeps that, too. The memory is shared.
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
