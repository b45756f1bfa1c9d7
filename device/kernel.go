package device

import (
	"strings"

	"github.com/weft-nd/weft/dtype"
)

// Arguments is all that a kernel receives. Integers and Scalars carry the parameters of the operator in the order that the
// kernel documents; they and the views must not be changed.
type Arguments struct {
	Outputs  []View
	Inputs   []View
	Integers []int64
	Scalars  []float64
	Scratch  Pointer // temporary memory, of the size that the operator asked for; undefined contents
	// ScratchBytes is the size of Scratch, as far as a kernel looks at it.
	ScratchBytes int
	// Unseen has a bit for each input, the lowest for the first. It is set if nobody reads the memory of the input after this
	// launch before it is written again: then a device that keeps work need not store there what work kept before has computed.
	Unseen uint64
}

// Kernel is a function compiled for the devices of one backend.
type Kernel interface {
	// Launch enqueues the kernel on s and returns. The error tells why it could not be enqueued; what fails later is
	// reported by the next event of s.
	Launch(s Stream, a *Arguments) error
}

// ScratchKernel is a Kernel that says how much temporary memory it takes, which may differ from that of other devices.
type ScratchKernel interface {
	Kernel
	// Scratch returns the bytes of Arguments.Scratch for a call on the device with an index. Pointers of a are not looked at.
	Scratch(index int, a *Arguments) int
}

// KernelName returns the name by which a kernel is found: the name of its operator and the element types that select
// it, such as "add/float32" or "cast/float32/int64".
func KernelName(operator string, dtypes ...dtype.DType) string {
	var name strings.Builder
	name.WriteString(operator)
	for _, d := range dtypes {
		name.WriteByte('/')
		name.WriteString(d.String())
	}
	return name.String()
}
