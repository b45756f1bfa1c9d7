package ndarray

import (
	"context"
	"fmt"
	"slices"

	"github.com/weft-nd/weft/fault"
)

// CopyAllInto copies each of srcs to the one of dsts with its number, of the same shape and dtype, or none of them: it waits for srcs, and returns
// the error of the first that is in error, or the cause of ctx if that ends first; then nothing was changed. The destinations may be among the
// sources, as if these had been copied first. It panics with *Error, and changes nothing, if arrays do not fit, were released, or a live tape has
// saved a destination.
func CopyAllInto(ctx context.Context, dsts, srcs []*Array) error {
	checkNotNil("CopyAllInto", dsts...)
	checkNotNil("CopyAllInto", srcs...)
	if len(dsts) != len(srcs) {
		fail("CopyAllInto", fault.ErrMisuse, fmt.Sprintf("%d destinations given for %d sources", len(dsts), len(srcs)))
	}
	for i, src := range srcs {
		if !slices.Equal(src.Shape(), dsts[i].Shape()) || src.DType() != dsts[i].DType() {
			fail("CopyAllInto", fault.ErrShape, fmt.Sprintf("source %d is none for its destination", i), dsts[i], src)
		}
		if err := src.Wait(ctx); err != nil {
			return fmt.Errorf("source %d: %w", i, err)
		}
		if src.Count() > 0 {
			src.Index(slices.Repeat([]any{0}, src.Rank())...).Copy() // It fails if src was released.
		}
	}
	for _, dst := range dsts {
		CopyInto(dst, dst) // It changes nothing, and fails if the copy to dst would.
	}
	from := slices.Clone(srcs)
	for i, src := range srcs {
		isDestination := func(dst *Array) bool { return dst.tensor().View().Synced == src.tensor().View().Synced }
		if slices.ContainsFunc(dsts, isDestination) {
			from[i] = src.Copy()
		}
	}
	for i, dst := range dsts {
		CopyInto(dst, from[i].In(dst.Env()))
	}
	return nil
}
