package storage

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
)

// Replica is the memory of a Synced on one device.
type Replica struct {
	device device.Device
	bytes  int

	// Guarded by the engine's registration lock.
	exists     bool
	variable   *engine.Var // nil as long as the logical one serves
	generation uint64      // of the contents, in the order of registration; zero if there are none
	fill       *fill       // the last filling from elsewhere; nil if r was replaced as a whole since

	// block is set by the first operation that writes the replica, and read by those ordered behind it.
	block *Block
}

// Device returns where the replica is.
func (r *Replica) Device() device.Device { return r.device }

// Claim returns the memory of r, allocated now if it has none yet. It is called by a running operation that has an access
// of r; the first one is a writer, and has r to itself.
func (r *Replica) Claim() (device.Pointer, error) {
	if r.block == nil {
		b, err := NewBlock(r.device, r.bytes)
		if err != nil {
			return device.Pointer{}, err
		}
		r.block = b
	}
	return r.block.Pointer(), nil
}

func (r *Replica) free() {
	if r.block != nil {
		r.block.Release()
		r.block = nil
	}
}
