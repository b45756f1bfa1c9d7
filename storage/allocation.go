package storage

import (
	"context"
	"errors"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// NewBlockFor is NewBlock for memory that operations of e will use: where memory is short it waits as an operation of e would, for
// those pushed before as well. It may be called where engine.Engine.Wait may.
func NewBlockFor(e engine.Engine, d device.Device, bytes int) (*Block, error) {
	b, err := NewBlock(d, bytes)
	if !errors.Is(err, fault.ErrOutOfMemory) {
		return b, err
	}
	site := fault.Here(1)
	a := &allocation{Replica{bytes: bytes, site: site}}
	a.replica.existOn(d)
	done := e.NewVar()
	e.Push(&engine.Operation{
		Name: "allocate", Function: a, Device: d, Bytes: int64(bytes), Site: site, Accesses: []engine.Access{{Var: done, Mode: engine.Write}},
	})
	if e.Wait(context.Background(), done) != nil {
		return nil, err
	}
	return a.replica.block, nil
}

// allocation is the function of an operation that takes memory, and does no more.
type allocation struct{ replica Replica }

// Run implements engine.Function.
func (a *allocation) Run(*engine.RunContext) error {
	_, err := a.replica.Claim()
	return err
}
