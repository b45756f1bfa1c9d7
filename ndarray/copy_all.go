package ndarray

import (
	"context"
	"fmt"
	"slices"

	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// CopyAllInto copies srcs[i] to dsts[i], which has the same shape, dtype and engine, for all i or for none: it waits for srcs,
// and returns the error of the first that is in error, or the cause of ctx if that ends first; then nothing was changed.
// Destinations may be among the sources: the result is as if all sources had been copied first. It panics with *Error, and
// changes nothing, if arrays do not fit or were released, or if a destination must not be written: a broadcast view, or an
// array that a tape watches or has saved.
func CopyAllInto(ctx context.Context, dsts, srcs []*Array) error {
	checkContext("CopyAllInto", ctx)
	checkNotNil("CopyAllInto", dsts...)
	checkNotNil("CopyAllInto", srcs...)
	if len(dsts) != len(srcs) {
		fail("CopyAllInto", fault.ErrMisuse, fmt.Sprintf("%d destinations given for %d sources", len(dsts), len(srcs)))
	}
	for i, src := range srcs {
		checkCopy(i, dsts[i], src)
	}
	from := make([]*Array, len(srcs))
	for i, src := range srcs {
		isDestination := func(dst *Array) bool { return dst.tensor().View().Synced == src.tensor().View().Synced }
		if from[i] = src.Detach().In(dsts[i].Env()); src.Device() != dsts[i].Device() || slices.ContainsFunc(dsts, isDestination) {
			from[i] = from[i].Copy()
		}
		if err := from[i].Wait(ctx); err != nil {
			return fmt.Errorf("source %d: %w", i, err)
		}
	}
	for i, dst := range dsts {
		CopyInto(dst, from[i])
	}
	return nil
}

// checkCopy fails unless src, number i of several, can be copied to dst.
func checkCopy(i int, dst, src *Array) {
	mistake := func(reason error, detail string) {
		fail("CopyAllInto", reason, fmt.Sprintf("source %d %s", i, detail), dst, src)
	}
	switch {
	case !slices.Equal(src.Shape(), dst.Shape()):
		mistake(fault.ErrShape, fmt.Sprintf("has shape %s, its destination %s", fault.FormatShape(src.Shape()), fault.FormatShape(dst.Shape())))
	case src.DType() != dst.DType():
		mistake(fault.ErrDType, fmt.Sprintf("holds %v, its destination %v", src.DType(), dst.DType()))
	case src.Env().Engine() != dst.Env().Engine():
		mistake(fault.ErrDevice, "belongs to another engine than its destination")
	}
	src.tensor().CheckAccess("CopyAllInto", engine.Read, fault.Here(1))
	dst.tensor().CheckAccess("CopyAllInto", engine.Update, fault.Here(1))
}
