package ndarray

import (
	"context"
	"fmt"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/ops"
)

// MaskSelect returns the part of a that index selects, as Array.Index does, where index values may also be masks in arrays: a
// mask stands for as many axes as it has, and selects the elements where it is true, in row-major order, as one axis. How many
// there are depends on the data, so it blocks until the masks are ready, and returns the error that sticks to one, or the cause
// of ctx if that ends first. The result is a copy, and differentiable. For mistakes it panics with *Error as Index does.
func MaskSelect(ctx context.Context, a *Array, index ...any) (*Array, error) {
	checkContext("MaskSelect", ctx)
	s := a.selection("MaskSelect", index)
	if len(s.picks) != 1 || !s.masked() {
		resolved, err := indicesOfMasks(ctx, index)
		if err != nil {
			return nil, err
		}
		return a.selection("MaskSelect", resolved).read("MaskSelect", a), nil
	}
	mask := s.picks[0]
	count, err := values[int64](ctx, mask.array.reading().CountNonzero())
	if err != nil {
		return nil, err
	}
	selected := call(ops.MaskTake.CalledBy("MaskSelect"), ops.MaskTakeParams{Axis: mask.axis, Count: int(count[0])}, s.view(a), mask.array)
	return selected.moveAxes(mask.axis, 1, s.place), nil
}

// MaskIndices returns the index values index of a, with masks in arrays replaced by the indices of the elements where they are
// true, one array for each axis of the mask. The result is legal in Array.Index, SetSlice and the like, beside any other
// values. How many elements there are depends on the data, so it blocks until the masks are ready, and returns the error that
// sticks to one, or the cause of ctx if that ends first. For mistakes it panics with *Error as Index does.
func MaskIndices(ctx context.Context, a *Array, index ...any) ([]any, error) {
	checkContext("MaskIndices", ctx)
	a.selection("MaskIndices", index)
	return indicesOfMasks(ctx, index)
}

func indicesOfMasks(ctx context.Context, index []any) ([]any, error) {
	resolved := make([]any, 0, len(index))
	for _, value := range index {
		mask, ok := value.(*Array)
		switch {
		case !ok || mask.DType() != dtype.Bool:
			resolved = append(resolved, value)
		default:
			found, err := Nonzero(ctx, mask)
			if err != nil {
				return nil, err
			}
			for axis := range mask.Rank() {
				resolved = append(resolved, found.Index(axis))
			}
		}
	}
	return resolved, nil
}

// failMasked panics because the shape of the result would depend on the contents of a mask.
func (s *selection) failMasked(operator string, a *Array) {
	for _, p := range s.picks {
		if p.array.DType() == dtype.Bool {
			detail := fmt.Sprintf("index value %d is a mask: how many elements it selects is known when its contents are; MaskSelect waits for them",
				p.from.column)
			fail(operator, fault.ErrMisuse, detail, a, p.array)
		}
	}
}

// onlyMask returns the one pick, which is a mask.
func (s *selection) onlyMask(operator string, a *Array) pick {
	if len(s.picks) > 1 {
		fail(operator, fault.ErrMisuse, "a mask is beside another array, list or bool; MaskIndices makes indices of masks", a)
	}
	return s.picks[0]
}

// inFrontOfMask returns value, which broadcasts to what s selects, with its axes in the order of the view: that of the masked
// elements is where the mask is.
func (s *selection) inFrontOfMask(operator string, a, value *Array, mask pick) *Array {
	value = a.joinable(operator, value)
	rank := len(s.shape) - mask.array.Rank() + 1
	if s.place == mask.axis || value.Rank() == 0 {
		return value
	}
	if value.Rank() > rank {
		fail(operator, fault.ErrShape, fmt.Sprintf("a value of %d axes does not go into a part of %d", value.Rank(), rank), a, value)
	}
	for value.Rank() < rank {
		value = value.ExpandDims(0)
	}
	return value.moveAxes(s.place, 1, mask.axis)
}
