package ndarray

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/ops"
)

// SetSlice writes value to the part of a that index selects, as in Index. Value broadcasts to the part, and must have the dtype
// of a unless it is made by Weak. If an index occurs more than once, the last value stays. Value may share memory with a: it is
// used as it was before the call.
//
// One of the index values may be a mask in an array, which stands for as many axes as it has; the other values must then be
// neither arrays nor lists nor bools. The part has one axis for the mask, with an element for each true one; a value of another
// length is an error of a, found at run time.
func (a *Array) SetSlice(value *Array, index ...any) {
	if part := a.basicPart(index); part != nil && ops.Copy.TryInto(part.tensor(), value.tensor()) {
		return
	}
	a.selection("SetSlice", index).write("SetSlice", a, value, ops.ReduceNone)
}

// AddSlice adds value to the part of a that index selects; see SetSlice. If an index occurs more than once all its values are
// added, in the order of the indices.
func (a *Array) AddSlice(value *Array, index ...any) {
	if part := a.basicPart(index); part != nil && ops.Add.TryInto(part.tensor(), part.tensor(), value.tensor()) {
		return
	}
	a.selection("AddSlice", index).write("AddSlice", a, value, ReduceAdd)
}

// ReduceSlice combines the part of a that index selects with value by a reduction; see SetSlice. If an index occurs more than
// once all its values count: with ReduceMax, the largest of them and of what was there stays. It is NumPy's maximum.at,
// minimum.at and multiply.at.
func (a *Array) ReduceSlice(reduction Reduction, value *Array, index ...any) {
	checkReduction("ReduceSlice", reduction, a, value)
	a.selection("ReduceSlice", index).write("ReduceSlice", a, value, reduction)
}

// UpdateSlice replaces the part of a that index selects by the result of f for it: it is a.SetSlice(f(a.Index(index...)),
// index...).
func (a *Array) UpdateSlice(f func(part *Array) *Array, index ...any) {
	if f == nil {
		fail("UpdateSlice", fault.ErrMisuse, "the function is nil")
	}
	s := a.selection("UpdateSlice", index)
	s.write("UpdateSlice", a, f(s.read("UpdateSlice", a)), ops.ReduceNone)
}

// WithSlice returns a copy of a with value in the part that index selects; see SetSlice. It is differentiable.
func (a *Array) WithSlice(value *Array, index ...any) *Array {
	return a.selection("WithSlice", index).with("WithSlice", a, value, ops.ReduceNone)
}

// WithSliceAdded returns a copy of a with value added to the part that index selects; see AddSlice. It is differentiable.
func (a *Array) WithSliceAdded(value *Array, index ...any) *Array {
	return a.selection("WithSliceAdded", index).with("WithSliceAdded", a, value, ReduceAdd)
}

// WithSliceReduced returns a copy of a in which the part that index selects is combined with value by a reduction; see
// ReduceSlice. It is differentiable.
func (a *Array) WithSliceReduced(reduction Reduction, value *Array, index ...any) *Array {
	checkReduction("WithSliceReduced", reduction, a, value)
	return a.selection("WithSliceReduced", index).with("WithSliceReduced", a, value, reduction)
}

// write joins value to the part of a by a reduction.
func (s *selection) write(operator string, a, value *Array, reduction Reduction) {
	checkNotNil(operator, a, value)
	defer named(operator, a, value)
	part := s.view(a)
	if op, params, operands := s.joining(operator, a, part, value, reduction); op != nil {
		callInto(op, params, operands[0], operands...)
		return
	}
	value = a.fitting(operator, value, s.shape)
	if op := ofPairs[reduction]; op != nil {
		callInto(op.CalledBy(operator), nil, part, part, value)
	} else {
		CopyInto(part, value)
	}
}

// with returns a with value joined to the part by a reduction.
func (s *selection) with(operator string, a, value *Array, reduction Reduction) *Array {
	checkNotNil(operator, a, value)
	defer named(operator, a, value)
	operands := []*Array{a, value}
	for _, p := range s.picks {
		if p.array != nil {
			operands = append(operands, p.array)
		}
	}
	operands = InOneCapture(operands...)
	a, value = operands[0], operands[1]
	if a.Detach() == a && value.Detach() == value {
		changed := a.Copy()
		s.write(operator, changed, value, reduction)
		return changed
	}
	part := s.view(a)
	if op, params, operands := s.joining(operator, a, part, value, reduction); op != nil {
		value = call(op, params, operands...)
		if !s.masked() {
			value = s.back(value)
		}
		reduction = ops.ReduceNone
	} else {
		value = a.fitting(operator, value, s.shape)
		if op := ofPairs[reduction]; op != nil && reduction != ReduceAdd {
			value = call(op.CalledBy(operator), nil, part, value)
		}
	}
	counts := make([]int, len(s.spans))
	for axis, span := range s.spans {
		counts[axis] = span.Count
	}
	place := ops.EmbedParams{Shape: a.Shape(), Spans: s.spans}
	embedded := call(ops.Embed, place, value.Reshape(counts...))
	if reduction == ReduceAdd {
		return a.Add(embedded)
	}
	mask := call(ops.Embed, place, full(operator, ops.Scalar(a.Env(), 1, dtype.Bool), counts))
	return Where(mask, embedded, a)
}

// joining returns the operator that joins value to part, the view of a that the picks choose from, and its parameters and
// operands, of which the first is part, in another order of its axes unless there is a mask; no operator if nothing is picked.
func (s *selection) joining(operator string, a, part, value *Array, reduction Reduction) (op *ops.Operator, params any, operands []*Array) {
	switch {
	case len(s.picks) == 0:
		return nil, nil, nil
	case s.masked():
		mask := s.onlyMask(operator, a)
		return ops.MaskPut.CalledBy(operator), ops.MaskPutParams{Axis: mask.axis, Reduction: reduction}, []*Array{part, mask.array, s.inFrontOfMask(operator, a, value, mask)}
	}
	joint := s.joint(operator, a)
	front := s.front(part)
	rest := front.Shape()[len(s.picks):]
	shape := slices.Concat(rest[:s.place], joint, rest[s.place:])
	value = a.fitting(operator, value, shape).moveAxes(s.place, len(joint), 0)
	return ops.PutPoints.CalledBy(operator), ops.PutPointsParams{Reduction: reduction}, append([]*Array{front, value}, s.indices(operator, a)...)
}

// fitting returns value broadcast to shape and, if it is weak, in the dtype and on the device of a.
func (a *Array) fitting(operator string, value *Array, shape []int) *Array {
	value = a.joinable(operator, value)
	own := value.tensor().Shape()
	for i := range max(len(own), len(shape)) {
		if n := fromEnd(own, i); n != 1 && n != fromEnd(shape, i) || i >= len(shape) {
			fail(operator, fault.ErrShape, fmt.Sprintf("a value of shape %s does not broadcast to a part of shape %s",
				fault.FormatShape(own), fault.FormatShape(shape)), a, value)
		}
	}
	return value.BroadcastTo(shape...)
}

// joinable returns value, if it is weak in the dtype and on the device of a.
func (a *Array) joinable(operator string, value *Array) *Array {
	switch d := a.DType(); {
	case value.tensor().IsScalar():
		if problem := value.tensor().Unfit(d); problem != "" {
			fail(operator, fault.ErrParameter, problem, a, value)
		}
		value = value.In(a.Env())
		if value.DType() != d {
			value = value.Cast(d)
		}
	case value.DType() != d:
		fail(operator, fault.ErrDType, fmt.Sprintf("a value of %v does not go into an array of %v", value.DType(), d), a, value)
	}
	return value
}
