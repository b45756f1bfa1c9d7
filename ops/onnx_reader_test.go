package ops

import (
	encoding "encoding/binary"
	"fmt"
	"math"

	"github.com/weft-nd/weft/dtype"
)

// field is one field of a message in the wire format of protocol buffers.
type field struct {
	number int
	varint uint64 // of fields with a number, fixed or not
	bytes  []byte // of the others
}

// fieldsOf splits a message.
func fieldsOf(message []byte) (fields []field) {
	take := func() uint64 {
		v, size := encoding.Uvarint(message)
		message = message[size:]
		return v
	}
	for len(message) > 0 {
		key := take()
		f := field{number: int(key >> 3)}
		switch key & 7 {
		case 0:
			f.varint = take()
		case 1:
			f.varint, message = encoding.LittleEndian.Uint64(message), message[8:]
		case 2:
			size := take()
			f.bytes, message = message[:size], message[size:]
		case 5:
			f.varint, message = uint64(encoding.LittleEndian.Uint32(message)), message[4:]
		default:
			panic(fmt.Sprintf("wire type %d", key&7))
		}
		fields = append(fields, f)
	}
	return fields
}

// integers returns the values of a repeated integer field, packed or not.
func (f field) integers() (all []int) {
	if f.bytes == nil {
		return []int{int(f.varint)}
	}
	for rest := f.bytes; len(rest) > 0; {
		v, size := encoding.Uvarint(rest)
		all, rest = append(all, int(v)), rest[size:]
	}
	return all
}

// onnxTypes are the element types by their numbers in TensorProto.DataType.
var onnxTypes = map[int]dtype.DType{
	1: dtype.Float32, 2: dtype.Uint8, 3: dtype.Int8, 4: dtype.Uint16, 5: dtype.Int16, 6: dtype.Int32, 7: dtype.Int64, 9: dtype.Bool,
	10: dtype.Float16, 11: dtype.Float64, 12: dtype.Uint32, 13: dtype.Uint64, 16: dtype.BFloat16,
}

// onnxTensor is a TensorProto. Its data is nil where the element type is not one of ours.
type onnxTensor struct {
	name  string
	dtype dtype.DType
	shape []int
	data  []byte
}

func readTensor(message []byte) (t onnxTensor) {
	var raw []byte
	var integers []int
	for _, f := range fieldsOf(message) {
		switch f.number {
		case 1:
			t.shape = append(t.shape, f.integers()...)
		case 2:
			t.dtype = onnxTypes[int(f.varint)]
		case 4, 10: // floats and doubles, packed
			raw = append(raw, f.bytes...)
		case 5, 7, 11:
			integers = append(integers, f.integers()...)
		case 8:
			t.name = string(f.bytes)
		case 9:
			raw = append(raw, f.bytes...)
		}
	}
	if t.dtype == dtype.Invalid {
		return t
	}
	for _, v := range integers {
		bytes := encoding.LittleEndian.AppendUint64(nil, uint64(v))
		raw = append(raw, bytes[:t.dtype.Size()]...)
	}
	if t.data = raw; raw == nil {
		t.data = []byte{}
	}
	return t
}

func (t onnxTensor) tensor(env *Env) *Tensor { return FromBytes(env, t.dtype, t.data, t.shape) }

// onnxNode is a NodeProto: one call of an operator.
type onnxNode struct {
	operator        string
	inputs, outputs []string
	attributes      map[string]onnxAttribute
}

type onnxAttribute struct {
	integer  int
	integers []int
	float    float64
	text     string
	tensor   onnxTensor
}

// number returns an attribute, or its default.
func (n onnxNode) number(name string, otherwise float64) float64 {
	if a, found := n.attributes[name]; found {
		return a.float
	}
	return otherwise
}

// integer returns an attribute, or its default.
func (n onnxNode) integer(name string, otherwise int) int {
	if a, found := n.attributes[name]; found {
		return a.integer
	}
	return otherwise
}

func readNode(message []byte) onnxNode {
	n := onnxNode{attributes: map[string]onnxAttribute{}}
	for _, f := range fieldsOf(message) {
		switch f.number {
		case 1:
			n.inputs = append(n.inputs, string(f.bytes))
		case 2:
			n.outputs = append(n.outputs, string(f.bytes))
		case 4:
			n.operator = string(f.bytes)
		case 5:
			name, a := "", onnxAttribute{}
			for _, part := range fieldsOf(f.bytes) {
				switch part.number {
				case 1:
					name = string(part.bytes)
				case 2:
					a.float = float64(math.Float32frombits(uint32(part.varint)))
				case 3:
					a.integer = int(part.varint)
				case 4:
					a.text = string(part.bytes)
				case 5:
					a.tensor = readTensor(part.bytes)
				case 8:
					a.integers = append(a.integers, part.integers()...)
				}
			}
			n.attributes[name] = a
		}
	}
	return n
}

// onnxGraph is the GraphProto of a model.
type onnxGraph struct {
	nodes           []onnxNode
	constants       []onnxTensor
	inputs, outputs []string
}

func readModel(message []byte) (g onnxGraph) {
	for _, f := range fieldsOf(message) {
		if f.number != 7 {
			continue
		}
		for _, part := range fieldsOf(f.bytes) {
			switch part.number {
			case 1:
				g.nodes = append(g.nodes, readNode(part.bytes))
			case 5:
				g.constants = append(g.constants, readTensor(part.bytes))
			case 11:
				g.inputs = append(g.inputs, string(fieldsOf(part.bytes)[0].bytes))
			case 12:
				g.outputs = append(g.outputs, string(fieldsOf(part.bytes)[0].bytes))
			}
		}
	}
	return g
}
