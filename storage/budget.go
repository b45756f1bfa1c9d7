package storage

import "github.com/weft-nd/weft/device"

// Shares of the memory of the machine, or of the control group of the process if that has less, that a manager of host memory
// takes at most unless SetLimit says otherwise.
const (
	limitPart  = 9
	limitParts = 10
)

// defaultLimit returns the limit of a new manager of d; zero where the amount of memory is not known. Devices of other kinds
// than the host's know their own.
func defaultLimit(d device.Device) int64 {
	if !d.OnHost() {
		return 0
	}
	return memoryOfHost() / limitParts * limitPart
}
