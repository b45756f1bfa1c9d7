package weft_test

import (
	"bytes"
	"context"
	little "encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	_ "github.com/weft-nd/weft/kernels/sim"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

var (
	background = context.Background()
	noContext  context.Context
)

func badIndexing() []badInput {
	x, whole, mask := ramp(3, 2), nd.FromSlice([]int64{0, 1}), nd.FromSlice([]bool{true, false, true})
	var none *nd.Array
	return []badInput{
		{"Index", fault.ErrIndex, "index 3 is out of range for axis 0 with 3 elements", func() { x.Index(3) }},
		{"Index", fault.ErrIndex, "index -3 is out of range for axis 1", func() { x.Index(nd.Whole, -3) }},
		{"Index", fault.ErrIndex, "index values for 3 axes or more, of 2", func() { x.Index(0, 0, 0) }},
		{"Index", fault.ErrMisuse, "Rest (...) is given twice", func() { x.Index(nd.Rest, nd.Rest) }},
		{"Index", fault.ErrMisuse, "index value 1 is a float64", func() { x.Index(0, 1.0) }},
		{"Index", fault.ErrMisuse, "index value 0 is a <nil>", func() { x.Index(nil) }},
		{"Index", fault.ErrMisuse, "the array is nil", func() { x.Index(none) }},
		{"Index", fault.ErrMisuse, "the array is nil", func() { none.Index(0) }},
		{"Index", fault.ErrMisuse, "index value 0 is no mark", func() { x.Index(nd.Mark(9)) }},
		{"Index", fault.ErrIndex, "the step along axis 0 is zero", func() { x.Index(nd.SpanBy(0, 2, 0)) }},
		{"Index", fault.ErrIndex, "index 2 is out of range for axis 1", func() { x.Index(0, []int{0, 2}) }},
		{"Index", fault.ErrDType, "index value 0 holds float32, want integers or bools", func() { x.Index(ramp(2)) }},
		{"Index", fault.ErrShape, "a mask of shape (2,) does not fit the axes from 0 on, of shape (3,)", func() { x.Index([]bool{true, false}) }},
		{"Index", fault.ErrMisuse, "MaskSelect waits for them", func() { x.Index(mask) }},
		{"Index", fault.ErrShape, "arrays of indices of shapes (2,) and (3,) do not broadcast", func() { x.Index(whole, []int{0, 1, 1}) }},
		{"Index", fault.ErrParameter, "want a number, a slice", func() { x.Index("0, nope") }},
		{"Index", fault.ErrParameter, "want a comma or a closing bracket", func() { x.Index("[0, 1") }},
		{"Index", fault.ErrIndex, "index 9 is out of range for axis 1 with 2 elements", func() { x.Index("1:2, 9") }},
		{"Index", fault.ErrIndex, "the step along axis 1 is zero", func() { x.Index("0, ::0") }},
		{"Index", fault.ErrIndex, "index 3 is out of range for axis 0 with 3 elements", func() *nd.Array { return x.Index(nd.FromSlice([]int8{0, 3})) }},
		{"Index", fault.ErrIndex, "index -3 is out of range for axis 1", func() *nd.Array { return x.Index(whole, nd.FromSlice([]int64{-3})) }},
		{"SetSlice", fault.ErrDType, "a value of int64 does not go into an array of float32", func() { x.SetSlice(whole, 0) }},
		{"SetSlice", fault.ErrShape, "a value of shape (4,2) does not broadcast to a part of shape (3,2)", func() { x.SetSlice(ramp(4, 2)) }},
		{"SetSlice", fault.ErrMisuse, "array 1 of 2 is nil", func() { x.SetSlice(none, 0) }},
		{"SetSlice", fault.ErrMisuse, "broadcast view", func() { x.Index(0).BroadcastTo(3, 2).SetSlice(nd.Weak(1.0)) }},
		{"SetSlice", fault.ErrMisuse, "MaskIndices makes indices of masks", func() { x.SetSlice(nd.Weak(1.0), mask, []int{0}) }},
		{"SetSlice", fault.ErrParameter, "-4 is no uint8", func() { nd.Zeros[uint8](2).SetSlice(nd.Weak(-4), 0) }},
		{"SetSlice", fault.ErrShape, "the mask is true in 2 elements, there are 3", func() *nd.Array { y := x.Copy(); y.SetSlice(ramp(3, 1), mask); return y }},
		{"SetSlice", fault.ErrIndex, "index 3 is out of range", func() *nd.Array { y := x.Copy(); y.SetSlice(nd.Weak(1.0), nd.FromSlice([]int8{0, 3})); return y }},
		{"AddSlice", fault.ErrDType, "no sums of bool", func() { mask.Copy().AddSlice(nd.Weak(true), mask) }},
		{"AddSlice", fault.ErrIndex, "index 5 is out of range", func() { x.AddSlice(nd.Weak(1.0), 5) }},
		{"UpdateSlice", fault.ErrMisuse, "index value 0 is a mask", func() { x.UpdateSlice((*nd.Array).Neg, mask) }},
		{"UpdateSlice", fault.ErrMisuse, "the function is nil", func() { x.UpdateSlice(nil, 0) }},
		{"UpdateSlice", fault.ErrMisuse, "array 1 of 2 is nil", func() { x.UpdateSlice(func(*nd.Array) *nd.Array { return none }, 0) }},
		{"WithSlice", fault.ErrShape, "does not broadcast to a part", func() { x.WithSlice(ramp(4, 2)) }},
		{"WithSlice", fault.ErrShape, "true in 0 elements, there are 2", func() *nd.Array { return x.WithSlice(ramp(2), nd.Zeros[bool](3, 2)) }},
		{"WithSliceAdded", fault.ErrIndex, "index 4 is out of range", func() { x.WithSliceAdded(nd.Weak(1.0), 4) }},
		{"MaskIndices", fault.ErrShape, "a mask", func() { _, _ = nd.MaskIndices(background, x, nd.Whole, mask) }},
		{"MaskSelect", fault.ErrMisuse, "the context is nil", func() { _, _ = nd.MaskSelect(noContext, x, mask) }},
		{"MaskSelect", fault.ErrShape, "a mask of shape (3,) does not fit", func() { _, _ = nd.MaskSelect(background, ramp(4), mask) }},
	}
}

// npyFile returns a file of NumPy with the given header and contents.
func npyFile(header, contents string) io.Reader {
	return strings.NewReader("\x93NUMPY\x01\x00" + string(little.LittleEndian.AppendUint16(nil, uint16(len(header)))) + header + contents)
}

// tensorsFile returns a file of safetensors with the given header and contents.
func tensorsFile(header, contents string) io.Reader {
	return strings.NewReader(string(little.LittleEndian.AppendUint64(nil, uint64(len(header)))) + header + contents)
}

func failure(_ any, err error) error { return err }

func failureOfTwo(_, _ any, err error) error { return err }

func badFiles() []badInput {
	x, failed := ramp(3, 2), ramp(3).Take(nd.FromSlice([]int64{9}), 0)
	_ = failed.Wait(background)
	return []badInput{
		{"ReadNPY", nd.ErrFormat, "malformed file: unexpected EOF", func() error { return failure(nd.ReadNPY(strings.NewReader(""))) }},
		{"ReadNPY", nd.ErrFormat, "it does not begin as an npy file: malformed file", func() error { return failure(nd.ReadNPY(strings.NewReader("a,b\n1,2\n"))) }},
		{"ReadNPY", nd.ErrFormat, "version 9 of the npy format is unknown: malformed file", func() error { return failure(nd.ReadNPY(strings.NewReader("\x93NUMPY\x09\x00v\x00"))) }},
		{"LoadNPY", fs.ErrNotExist, "/no/such/file", func() error { return failure(nd.LoadNPY("/no/such/file")) }},
		{"LoadNPZ", fs.ErrNotExist, "/no/such/file", func() error { return failure(nd.LoadNPZ("/no/such/file")) }},
		{"LoadSafetensors", fs.ErrNotExist, "/no/such/file", func() error { return failureOfTwo(nd.LoadSafetensors("/no/such/file")) }},
		{"LoadNPYIn", fs.ErrNotExist, "/no/such/file", func() error { return failure(nd.LoadNPYIn(nd.DefaultEnv(), "/no/such/file")) }},
		{"LoadNPYIn", fault.ErrMisuse, "the Env is nil", func() { _, _ = nd.LoadNPYIn(nil, "/no/such/file") }},
		{"ReadNPYIn", fault.ErrMisuse, "the Env is nil", func() { _, _ = nd.ReadNPYIn(nil, strings.NewReader("")) }},
		{"LoadNPZIn", fault.ErrMisuse, "the Env is nil", func() { _, _ = nd.LoadNPZIn(nil, "/no/such/file") }},
		{"ReadNPZIn", nd.ErrFormat, "zip: not a valid zip file", func() error { return failure(nd.ReadNPZIn(nd.DefaultEnv(), strings.NewReader("PK"), 2)) }},
		{"LoadSafetensorsIn", fault.ErrMisuse, "the Env is nil", func() { _, _, _ = nd.LoadSafetensorsIn(nil, "/no/such/file") }},
		{"ReadSafetensorsIn", nd.ErrFormat, "malformed file: unexpected EOF", func() error { return failureOfTwo(nd.ReadSafetensorsIn(nd.DefaultEnv(), strings.NewReader("123"))) }},
		{"SaveNPY", fs.ErrNotExist, "/no/such/file", func() error { return nd.SaveNPY("/no/such/file", x) }},
		{"SaveNPZ", fs.ErrNotExist, "/no/such/file", func() error { return nd.SaveNPZ("/no/such/file", nil) }},
		{"ReadNPZ", nd.ErrFormat, "malformed file: zip: not a valid zip file", func() error { return failure(nd.ReadNPZ(strings.NewReader("PK\x03\x04"), 4)) }},
		{"ReadSafetensors", nd.ErrFormat, "malformed file: unexpected EOF", func() error { return failureOfTwo(nd.ReadSafetensors(strings.NewReader("123"))) }},
		{"WriteNPY", fault.ErrMisuse, "nil", func() { _ = nd.WriteNPY(io.Discard, nil) }},
		{"WriteNPZ", fault.ErrMisuse, "nil", func() { _ = nd.WriteNPZ(io.Discard, map[string]*nd.Array{"a": nil}) }},
		{"WriteNPZ", fault.ErrParameter, `"../a" is no name`, func() { _ = nd.WriteNPZ(io.Discard, map[string]*nd.Array{"../a": x}) }},
		{"WriteSafetensors", fault.ErrDType, "complex128", func() { _ = nd.WriteSafetensors(io.Discard, map[string]*nd.Array{"a": nd.Zeros[complex128](1)}, nil) }},
		{"WriteSafetensors", fault.ErrParameter, `"__metadata__" is no name`, func() { _ = nd.WriteSafetensors(io.Discard, map[string]*nd.Array{"__metadata__": x}, nil) }},
		{"WriteSafetensors", fault.ErrParameter, "no UTF-8", func() { _ = nd.WriteSafetensors(io.Discard, nil, map[string]string{"k": "\xff"}) }},
		{"UnmarshalBinary", nd.ErrFormat, "malformed file: unexpected EOF", func() error { return new(nd.Array).UnmarshalBinary([]byte("\x93NUMPY")) }},
		{"UnmarshalBinary", fault.ErrMisuse, "the array is nil", func() { _ = (*nd.Array)(nil).UnmarshalBinary(nil) }},
		{"ReadNPY", nd.ErrFormat, `it is no dictionary`, func() error { return failure(nd.ReadNPY(npyFile(``, ""))) }},
		{"ReadNPY", nd.ErrFormat, `it is no dictionary`, func() error { return failure(nd.ReadNPY(npyFile(`{`, ""))) }},
		{"ReadNPY", nd.ErrFormat, `it lacks a key`, func() error { return failure(nd.ReadNPY(npyFile(`{}`, ""))) }},
		{"ReadNPY", nd.ErrFormat, `it is no dictionary`, func() error { return failure(nd.ReadNPY(npyFile(`[1]`, ""))) }},
		{"ReadNPY", nd.ErrFormat, `fortran_order is Maybe`, func() error {
			return failure(nd.ReadNPY(npyFile(`{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,)}`, "")))
		}},
		{"ReadNPY", nd.ErrFormat, `the shape is no tuple`, func() error {
			return failure(nd.ReadNPY(npyFile(`{'descr': '<f4', 'fortran_order': False, 'shape': 2}`, "")))
		}},
		{"ReadNPY", nd.ErrFormat, `a size that is none`, func() error {
			return failure(nd.ReadNPY(npyFile(`{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}`, "")))
		}},
		{"ReadNPY", nd.ErrFormat, `the shape is too large`, func() error {
			return failure(nd.ReadNPY(npyFile(`{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,)}`, "")))
		}},
		{"ReadNPY", nd.ErrFormat, `it holds objects of Python`, func() error {
			return failure(nd.ReadNPY(npyFile(`{'descr': '|O', 'fortran_order': False, 'shape': (2,)}`, "")))
		}},
		{"ReadNPY", nd.ErrFormat, `are not supported`, func() error {
			return failure(nd.ReadNPY(npyFile(`{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}`, "")))
		}},
		{"ReadNPY", nd.ErrFormat, `0 of 8 bytes of elements are there`, func() error {
			return failure(nd.ReadNPY(npyFile(`{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}`, "")))
		}},
		{"ReadSafetensors", nd.ErrFormat, "the header is no object: malformed file", func() error { return failureOfTwo(nd.ReadSafetensors(tensorsFile(``, "1234"))) }},
		{"ReadSafetensors", nd.ErrFormat, `the header is no`, func() error { return failureOfTwo(nd.ReadSafetensors(tensorsFile(`{`, "1234"))) }},
		{"ReadSafetensors", nd.ErrFormat, `the header is no object`, func() error { return failureOfTwo(nd.ReadSafetensors(tensorsFile(`[]`, "1234"))) }},
		{"ReadSafetensors", nd.ErrFormat, `"1" in place of an object`, func() error { return failureOfTwo(nd.ReadSafetensors(tensorsFile(`{"a":1}`, "1234"))) }},
		{"ReadSafetensors", nd.ErrFormat, `are not those of shape (2,) of float32`, func() error {
			return failureOfTwo(nd.ReadSafetensors(tensorsFile(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`, "1234")))
		}},
		{"ReadSafetensors", nd.ErrFormat, `elements of type "F9" are not supported`, func() error {
			return failureOfTwo(nd.ReadSafetensors(tensorsFile(`{"a":{"dtype":"F9","shape":[1],"data_offsets":[0,4]}}`, "1234")))
		}},
		{"ReadSafetensors", nd.ErrFormat, `"-1" is no size`, func() error {
			return failureOfTwo(nd.ReadSafetensors(tensorsFile(`{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}`, "1234")))
		}},
		{"ReadSafetensors", nd.ErrFormat, `bytes [0,400) are not those`, func() error {
			return failureOfTwo(nd.ReadSafetensors(tensorsFile(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,400]}}`, "1234")))
		}},
	}
}

func badEdges() []badInput {
	x, whole := ramp(3, 2), nd.FromSlice([]int64{1, 2, 3})
	released := ramp(2)
	released.Release()
	reader := func([]float32) error { return nil }
	return []badInput{
		{"Adopt", fault.ErrShape, "2 elements do not fill shape (3,)", func() { nd.Adopt([]float32{1, 2}, 3) }},
		{"AdoptIn", fault.ErrMisuse, "the Env is nil", func() { nd.AdoptIn(nil, []float32{1}) }},
		{"FromNested", fault.ErrMisuse, "there is nothing to make an array of", func() { nd.FromNested(nil) }},
		{"FromNested", fault.ErrShape, "a slice has 1 elements, and one before it 2", func() { nd.FromNested([][]float32{{1, 2}, {3}}) }},
		{"FromNested", fault.ErrDType, "string is no element type", func() { nd.FromNested([]string{"a"}) }},
		{"At", fault.ErrIndex, "index 2 is out of range for axis 1 with 2 elements", func() { _, _ = nd.At[float32](x, 0, 2) }},
		{"At", fault.ErrIndex, "1 indices for 2 axes", func() { _, _ = nd.At[float32](x, 0) }},
		{"At", fault.ErrDType, "the array holds float32, not int64", func() { _, _ = nd.At[int64](x, 0, 0) }},
		{"Set", fault.ErrIndex, "index 9 is out of range", func() { nd.Set[float32](x, 1, 9, 0) }},
		{"Set", fault.ErrDType, "the array holds int64, not float32", func() { nd.Set[float32](whole, 1, 0) }},
		{"Item", fault.ErrShape, "the array has 6 elements, want one", func() { _, _ = nd.Item[float32](x) }},
		{"Iter", fault.ErrMisuse, "the context is nil", func() { _, _ = nd.Iter[float32](noContext, x) }},
		{"Read", fault.ErrDType, "the array holds int64, not float32", func() { _ = nd.Read(background, whole, reader) }},
		{"Read", fault.ErrMisuse, "the array is not contiguous", func() { _ = nd.Read(background, x.T(), reader) }},
		{"Read", fault.ErrMisuse, "the function is nil", func() { _ = nd.Read[float32](background, x, nil) }},
		{"Write", fault.ErrMisuse, "the array is not contiguous", func() { _ = nd.Write(background, x.T(), reader) }},
		{"WaitToWrite", fault.ErrMisuse, "the array is not contiguous", func() { _ = x.T().WaitToWrite(background) }},
		{"Wait", fault.ErrMisuse, "the array is nil", func() { _ = (*nd.Array)(nil).Wait(background) }},
		{"Ready", fault.ErrMisuse, "the array is nil", func() { (*nd.Array)(nil).Ready() }},
		{"AsMatrix", fault.ErrShape, "an array of 1 axes is no matrix", func() { _, _ = nd.AsMatrix(whole) }},
		{"AsMatrix", fault.ErrDType, "no matrix of int64", func() { _, _ = nd.AsMatrix(whole.Reshape(3, 1)) }},
		{"FromMatrix", fault.ErrMisuse, "the matrix is nil", func() { nd.FromMatrix(nil) }},
		{"AdoptGeneral", fault.ErrShape, "fewer data than its rows, columns and stride need", func() { nd.AdoptGeneral(blas64.General{Rows: 2, Cols: 2, Stride: 2, Data: []float64{1, 2}}) }},
		{"ReadGeneral", fault.ErrShape, "a matrix has two axes", func() { _ = nd.ReadGeneral(background, ramp(2), func(blas32.General) error { return nil }) }},
		{"WriteGeneral", fault.ErrMisuse, "the elements of a row do not lie side by side", func() { _ = nd.WriteGeneral(background, x.T(), func(blas32.General) error { return nil }) }},
		{"FromImage", fault.ErrMisuse, "the image is nil", func() { nd.FromImage(nil) }},
		{"FromImages", fault.ErrMisuse, "there are no images", func() { nd.FromImages() }},
		{"ToImage", fault.ErrShape, "want (height,width) or (height,width,channels)", func() { _, _ = nd.ToImage(ramp(3)) }},
		{"ToImage", fault.ErrDType, "no pixels of float32", func() { _, _ = nd.ToImage(x) }},
		{"Text", fault.ErrParameter, "EdgeItems and LineWidth must not be negative", func() { _, _ = x.Text(nd.PrintOptions{LineWidth: -1}) }},
		{"exp", fault.ErrReleased, "use after release: the array was released at", func() { released.Exp() }},
		{"Release", fault.ErrMisuse, "the array is nil", func() { (*nd.Array)(nil).Release() }},
	}
}

func badPlaces() []badInput {
	x, other := ramp(3, 2), ops.NewEnv(engine.NewNaive())
	ended, end := context.WithCancelCause(background)
	cause := fmt.Errorf("the user left")
	end(cause)
	return []badInput{
		{"WithDevice", fault.ErrDevice, "gpu(99)", func() { x.To(device.GPU(99)) }},
		{"WithDevice", fault.ErrDevice, "there is no kind 200 of devices", func() { x.To(device.Device{Kind: 200}) }},
		{"In", fault.ErrMisuse, "the Env is nil or has another engine", func() { x.In(other) }},
		{"In", fault.ErrMisuse, "the Env is nil or has another engine", func() { x.In(nil) }},
		{"To", fault.ErrMisuse, "the array is nil", func() { (*nd.Array)(nil).To(device.CPU(0)) }},
		{"add", fault.ErrDevice, "sim(0) and cpu(0)", func() { x.To(device.Sim(0)).Add(x) }},
		{"add", fault.ErrDevice, "engine", func() { x.Add(nd.FromSliceIn(other, []float32{1, 2})) }},
		{"WithScope", fault.ErrMisuse, "nil", func() { nd.DefaultEnv().WithScope(noContext) }},
		{"WithGenerator", fault.ErrMisuse, "nil", func() { nd.DefaultEnv().WithGenerator(nil) }},
		{"WithMemoryScope", fault.ErrMisuse, "the Env is nil", func() { nd.WithMemoryScope(nil) }},
		{"exp", cause, "the user left", func() *nd.Array { return x.In(nd.DefaultEnv().WithScope(ended)).Exp() }},
		{"NewBlobIn", fault.ErrMisuse, "the Env is nil", func() { nd.NewBlobIn(nil, x.DType(), 2) }},
		{"Keep", fault.ErrMisuse, "the array is nil", func() { _, scope := nd.WithMemoryScope(nd.DefaultEnv()); scope.Keep(nil) }},
		{"MarshalBinary", fault.ErrMisuse, "nil", func() { _, _ = (*nd.Array)(nil).MarshalBinary() }},
		{"take", fault.ErrIndex, "index 9", func() error { return nd.WriteNPY(&bytes.Buffer{}, x.Take(nd.FromSlice([]int64{9}), 0)) }},
	}
}
