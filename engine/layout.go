package engine

import "github.com/weft-nd/weft/device"

// layout says which operations share a queue.
type layout struct {
	name string
	// host returns the device whose queue takes the leaves of d.
	host func(d device.Device) device.Device
	// stream returns the property whose stream takes the operations with property p.
	stream func(p Property) Property
	// copies returns how many of the workers may run copies on the host while there are kernels to run.
	copies func(workers int) int
}

// perDevice gives every CPU device queues of its own, and every other device streams of its own: one for kernels, one for
// those with priority and one for each direction of copies, so that copies overlap kernels and one another.
var perDevice = layout{
	name: "perdevice",
	host: func(d device.Device) device.Device { return d },
	stream: func(p Property) Property {
		if p == CopyFromDevice || p == CopyToDevice || p == Prioritized {
			return p
		}
		return Normal
	},
	copies: func(workers int) int { return max(1, workers/2) },
}

// pooled has one pair of queues for all CPU devices, and two streams for every other device: one for kernels, one for all
// copies.
var pooled = layout{
	name: "pooled",
	host: func(device.Device) device.Device { return device.Device{} },
	stream: func(p Property) Property {
		if p == CopyFromDevice || p == CopyToDevice {
			return CopyToDevice
		}
		return Normal
	},
	copies: func(int) int { return 1 },
}
