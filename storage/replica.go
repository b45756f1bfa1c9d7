package storage

import (
	"sync/atomic"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// Replica is the memory of a Synced on one device.
type Replica struct {
	// Guarded by the engine's registration lock. Arrays are made by the million, and every eight bytes tell.
	kind       uint8         // one more than the kind of the device; zero as long as the replica does not exist
	computed   bool          // by a write that counts, before anybody knew of the Synced; set when that is made
	index      uint16        // of the device
	need       atomic.Uint32 // of memory; changed by operations too
	bytes      int
	generation uint64      // of the contents, in the order of registration; zero if there are none
	site       *fault.Site // of the first access
	apart      *apart      // nil as long as the logical variable serves

	// block is set by the first operation that writes the replica, and read by those ordered behind it.
	block  *Block
	extras *extras // nil as long as it is zero
}

// apart is what a replica has that is filled from elsewhere, or has others beside it. It is guarded as the Replica is.
type apart struct {
	variable *engine.Var
	unnamed  bool     // operations may be pending that use the replica and do not name the variable
	fill     *fill    // the last filling from elsewhere; nil if the replica was replaced as a whole since
	next     *Replica // of the same Synced
}

// variable returns the variable of r alone; nil as long as the logical one serves.
func (r *Replica) variable() *engine.Var {
	if r.apart == nil {
		return nil
	}
	return r.apart.variable
}

// fill returns the last filling from elsewhere; nil if r was replaced as a whole since.
func (r *Replica) fill() *fill {
	if r.apart == nil {
		return nil
	}
	return r.apart.fill
}

// next returns the next replica of the same Synced, nil if there is none.
func (r *Replica) next() *Replica {
	if r.apart == nil {
		return nil
	}
	return r.apart.next
}

// all yields r and the replicas behind it.
func (r *Replica) all(yield func(*Replica) bool) {
	for ; r != nil && yield(r); r = r.next() {
	}
}

// The needs of a replica for memory that is promised.
const (
	needMet      = iota // it has some, or gets it without a promise
	needOpen            // nobody has promised it
	needPromised        // an operation has promised it that is not done
)

// extras are what few replicas need. They are used as the block is.
type extras struct {
	hunger Hunger
	owner  *owner // nil unless the block was handed over by a user
	guard  *guard // nil but in an engine with engine.WithSanitizer
	mapped bool   // the block is of a MappedFile
}

// more returns the extras of r, made now if there are none.
func (r *Replica) more() *extras {
	if r.extras == nil {
		r.extras = &extras{}
	}
	return r.extras
}

// attach makes the block of r what its guard opens, if it has one.
func (r *Replica) attach() {
	if r.extras != nil && r.extras.guard != nil {
		r.extras.guard.attach(r.block)
	}
}

// Device returns where the replica is.
func (r *Replica) Device() device.Device {
	return device.Device{Kind: device.Kind(r.kind - 1), Index: int(r.index)}
}

func (r *Replica) exists() bool { return r.kind > 0 }

// existOn makes r a replica on d.
func (r *Replica) existOn(d device.Device) {
	r.kind, r.index = uint8(d.Kind)+1, uint16(d.Index)
	if r.Device() != d {
		panic(&fault.Error{Operator: "storage", Detail: "no system has that device", Device: d.String(), Cause: fault.ErrDevice, Site: fault.Here(1)})
	}
}

// Claim returns the memory of r, allocated now if it has none yet. It is called by a running operation that has an access
// of r; the first one is a writer, and has r to itself. A Function that has changed nothing yet returns the error as it is: the
// engine tries the operation again when there may be memory.
func (r *Replica) Claim() (device.Pointer, error) {
	if r.block == nil {
		b, err := r.allocate()
		if err != nil {
			return device.Pointer{}, err
		}
		r.block = b
		r.attach()
		r.need.Store(needMet)
	}
	return r.block.Pointer(), nil
}

// Claimed reports whether r has memory.
func (r *Replica) Claimed() bool { return r.block != nil }

// Unclaim gives the memory of r back, if it has any, before anything was written there. It is called as Claim is. Unlike
// Release it does not tell the engine: an operation that was tried in vain would try again without end.
func (r *Replica) Unclaim() {
	if r.block != nil {
		r.block.release()
		r.block = nil
		r.need.Store(needPromised)
	}
}

// allocate returns the memory of r. It waits for nothing: workers come here.
func (r *Replica) allocate() (*Block, error) {
	l, err := ledgerFor(r.Device(), r.bytes)
	if err != nil {
		return nil, engine.Untouched(err)
	}
	if l == nil {
		return heapBlock(r.bytes), nil
	}
	if relief := l.pressure(r.bytes); relief != nil {
		if relief = r.more().hunger.catchUp(relief); relief != nil {
			return nil, engine.Starved(fault.ErrOutOfMemory, relief)
		}
	}
	b, err := l.newBlock(r.bytes, r.site)
	if err != nil {
		return nil, r.more().hunger.Starved(l.refuse(err))
	}
	return b, nil
}

// free gives the memory of r back to its owner. Nothing uses it any more.
func (r *Replica) free() {
	if r.block != nil {
		r.block.Release()
		r.block = nil
	}
	if r.extras != nil && r.extras.owner != nil {
		r.extras.owner.end()
		r.extras.owner = nil
	}
}
