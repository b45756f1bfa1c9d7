package ops

import (
	"fmt"
	"maps"
	"sync/atomic"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu"
)

// kernel is what computes an operator on one kind of device.
type kernel struct {
	host   cpu.Kernel    // where the host addresses the memory
	remote device.Kernel // elsewhere; nil where host is not
	widens bool          // it computes float16 or bfloat16 in float32, in temporary memory
	line   cpu.Line      // the loop that host is made of, if it is element-wise
	// fallback is the name of operations that are run on the CPU because the device has no such kernel; empty for others.
	fallback string
}

// kernelKey tells kernels apart.
type kernelKey struct {
	operator  string
	kind      device.Kind
	signature signature
}

// signature is the element types that select the kernel of an operator; the second is Invalid if there is one alone.
type signature [2]dtype.DType

func (s *signature) types() []dtype.DType {
	if s[1] == dtype.Invalid {
		return s[:1]
	}
	return s[:]
}

// signature returns the element types that select the kernel of c.
func (c *Call) signature() (s signature) {
	if c.Operator.Signature == nil {
		s[0] = c.leadingType()
	} else {
		copy(s[:], c.Operator.Signature(c))
	}
	return s
}

// knownKernels are those that were looked up before. The map is replaced, never changed.
var knownKernels atomic.Pointer[map[kernelKey]kernel]

// remember adds a kernel to knownKernels.
func remember(key kernelKey, found kernel) {
	for {
		old := knownKernels.Load()
		grown := map[kernelKey]kernel{}
		if old != nil {
			grown = maps.Clone(*old)
		}
		grown[key] = found
		if knownKernels.CompareAndSwap(old, &grown) {
			return
		}
	}
}

// latestKernel is the kernel of the latest call of an operator: the next one often wants the same.
type latestKernel struct {
	key    kernelKey
	kernel kernel
}

// kernelFor returns the kernel for c on d. Kernels of the CPU and of registered backends stay what they are, so one that was
// found is not looked for again.
func (c *Call) kernelFor(d device.Device) (kernel, error) {
	if own := c.Operator.user; own != nil {
		return kernel{remote: own}, nil
	}
	key := kernelKey{c.Operator.Name, d.Kind, c.signature()}
	cache := c.Operator.latest
	if cache != nil {
		if latest := cache.Load(); latest != nil && latest.key == key {
			return latest.kernel, nil
		}
	}
	if known := knownKernels.Load(); known != nil {
		if found, ok := (*known)[key]; ok {
			if cache != nil {
				cache.Store(&latestKernel{key, found})
			}
			return found, nil
		}
	}
	found, err := c.lookUp(d, key.signature)
	if err == nil {
		remember(key, found)
	}
	return found, err
}

// leadingType returns the element type of the first operand, or of the first result if there are no operands.
func (c *Call) leadingType() dtype.DType {
	if len(c.Inputs) > 0 {
		return c.Inputs[0].DType
	}
	return c.Outputs[0].DType
}

func (c *Call) lookUp(d device.Device, s signature) (found kernel, err error) {
	name, ok := device.KernelName(c.Operator.Name, s.types()...), false
	if d.OnHost() {
		found.host, ok = cpu.Lookup(name)
		found.line, _ = cpu.LineOf(name)
	} else {
		backend, err := device.BackendOf(d.Kind)
		if err != nil {
			return kernel{}, err
		}
		if found.remote, ok = backend.Kernel(name); !ok {
			found.host, ok = cpu.Lookup(name)
			found.fallback = fmt.Sprintf("%s (on cpu for %v)", c.Operator.Name, d.Kind)
		}
	}
	found.widens = cpu.Widens(name) // as devices do that have the kernels of the CPU
	if !ok {
		return kernel{}, fmt.Errorf("no kernel %s for %v", name, d)
	}
	return found, nil
}
