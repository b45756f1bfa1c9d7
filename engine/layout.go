package engine

import "github.com/weft-nd/weft/device"

// layout says which operations share a queue.
type layout struct {
	name string
	// host returns the device whose queue takes the leaves of d.
	host func(d device.Device) device.Device
	// stream returns the property whose stream takes the operations with property p.
	stream func(p Property) Property
}

// perDevice gives every CPU device a queue of its own, and every other device streams of its own: one for compute and one
// for each direction of copies, so that copies overlap compute and one another.
var perDevice = layout{
	name: "perdevice",
	host: func(d device.Device) device.Device { return d },
	stream: func(p Property) Property {
		if p == CopyFromDevice || p == CopyToDevice {
			return p
		}
		return Normal
	},
}

// pooled has one queue for all CPU devices, and two streams for every other device: one for compute, one for all copies.
var pooled = layout{
	name: "pooled",
	host: func(device.Device) device.Device { return device.Device{} },
	stream: func(p Property) Property {
		if p == CopyFromDevice || p == CopyToDevice {
			return CopyToDevice
		}
		return Normal
	},
}
