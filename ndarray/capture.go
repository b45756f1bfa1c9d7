package ndarray

import "github.com/weft-nd/weft/ops"

// Capture is a part of a program that has run once, with Env.Capture, and that Capture.Replay runs again at a fraction of the cost, on
// GPUs by one call of the driver. Arrays that have an operand in the Env of the capture are written again, in place, by each Replay; what
// the program reads outside, it sees there.
type Capture = ops.Capture
