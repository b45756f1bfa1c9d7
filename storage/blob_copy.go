package storage

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// CopyFrom copies the data of source, or its diff, to that of b, as an operation on d that is pushed and not waited for.
// If the shapes differ, b is given that of source if reshape is set; otherwise that panics with *fault.Error, as do blobs of
// two engines or two element types, and memory that a tape has saved. Blobs that share what is copied stay as they are.
func (b *Blob) CopyFrom(d device.Device, source *Blob, diff, reshape bool) {
	b.checkKin("Blob.CopyFrom", source)
	before, pushed := *b, false
	defer func() {
		if !pushed {
			*b = before
		}
	}()
	if !b.ShapeEquals(source.shape...) {
		if !reshape {
			b.fail("Blob.CopyFrom", fault.ErrShape, "the blobs differ in shape", source)
		}
		b.reshape("Blob.CopyFrom", source.shape)
	}
	to, from := b.data, source.data
	if diff {
		to, from = b.Diff().Synced, source.Diff().Synced
	}
	if to == from {
		pushed = true
		return
	}
	bytes, mode, site := b.Count()*b.dtype.Size(), engine.Write, fault.Here(1)
	if bytes != to.Bytes() {
		mode = engine.Update
	}
	copying := &duplicate{bytes: bytes}
	op := &engine.Operation{Name: "copy blob", Function: copying, Device: d, Inline: true, Site: site}
	b.engine.Atomically(func(p engine.Pusher) {
		from.Check(op.Name, engine.Read, site)
		to.Check(op.Name, mode, site)
		copying.from, op.Accesses = from.Acquire(p, d, engine.Read, 0, bytes, nil, site)
		read := len(op.Accesses)
		copying.to, op.Accesses = to.Acquire(p, d, mode, 0, bytes, op.Accesses, site)
		for i := range op.Accesses[read:] {
			op.Accesses[read+i].Replaces = true
		}
		p.Push(op)
		pushed = true
	})
}

// duplicate is the function of an operation that copies between two Synceds on one device.
type duplicate struct {
	to, from *Replica
	bytes    int
}

// Run implements engine.Function.
func (c *duplicate) Run(rc *engine.RunContext) error { return transfer(rc, c.to, c.from, c.bytes) }
