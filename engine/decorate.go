package engine

import (
	"context"
	"runtime/pprof"
	"runtime/trace"
	"sync/atomic"

	"github.com/weft-nd/weft/fault"
)

// labelled says whether functions run with labels for runtime/pprof.
var labelled atomic.Bool

// LabelProfiles makes the functions of operations run with labels from now on, so that a CPU profile of runtime/pprof tells
// which operators its samples belong to: "operator" is the name, "device" where it runs and "site" the user's line. It costs
// about a microsecond for each operation, and is off unless the environment variable WEFT_PPROF_LABELS is set to 1.
func LabelProfiles(on bool) { labelled.Store(on) }

// run calls the function of op, with what tools have asked for around it: a region of runtime/trace while that records, and
// labels of runtime/pprof, and with what it must not touch closed.
func (c *core) run(op *Operation, site *fault.Site, r *RunContext) error {
	if c.isDecorated() {
		return c.runDecorated(op, site, r)
	}
	return op.Function.Run(r)
}

// isDecorated reports whether a tool has asked for something around functions.
func (c *core) isDecorated() bool { return c.sanitizes() || trace.IsEnabled() || labelled.Load() }

func (c *core) runDecorated(op *Operation, site *fault.Site, r *RunContext) (err error) {
	defer trace.StartRegion(r.Context, op.Name).End()
	if !labelled.Load() {
		return c.runUnlabelled(op, site, r)
	}
	labels := pprof.Labels("operator", op.Name, "device", op.Device.String(), "site", site.String())
	pprof.Do(r.Context, labels, func(context.Context) { err = c.runUnlabelled(op, site, r) })
	return err
}

func (c *core) runUnlabelled(op *Operation, site *fault.Site, r *RunContext) error {
	if c.sanitizes() {
		return runSanitized(op, site, r)
	}
	return op.Function.Run(r)
}
