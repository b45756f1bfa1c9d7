package storage

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/weft-nd/weft/dtype"
)

// ErrMalformed is the reason of errors about messages that do not describe an array in shared memory.
var ErrMalformed = errors.New("malformed message")

func malformed(format string, details ...any) error {
	return fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, details...))
}

// A message is a head of fixed size and a body. The head is the word "weft", the version, how many bytes the name of the dtype
// has, and as two bytes how many axes the array has. The body is the name of the dtype, and then numbers of eight bytes: the
// size of the memory, the offset, the shape and the strides. All numbers are little-endian. The descriptor of the memory comes
// with the first byte; arrays without elements have none, and a size of zero.
const (
	messageMagic   = "weft"
	messageVersion = 1
	messageHead    = 8
	messageAxes    = 1 << 10 // no more are sent or received
)

// encodeView returns the message that describes v, whose memory has the given size.
func encodeView(v View, bytes int) ([]byte, error) {
	if len(v.Shape) > messageAxes {
		return nil, fmt.Errorf("an array of %d axes is not sent: %d are the most", len(v.Shape), messageAxes)
	}
	name := v.DType.String()
	message := append([]byte(messageMagic), messageVersion, byte(len(name)))
	message = binary.LittleEndian.AppendUint16(message, uint16(len(v.Shape)))
	message = append(message, name...)
	for _, n := range append(append([]int{bytes, v.Offset}, v.Shape...), v.Strides...) {
		message = binary.LittleEndian.AppendUint64(message, uint64(n))
	}
	return message, nil
}

// bodySize returns how many bytes follow the given head.
func bodySize(head []byte) (int, error) {
	if string(head[:4]) != messageMagic {
		return 0, malformed("it begins with %q", head[:4])
	}
	if head[4] != messageVersion {
		return 0, malformed("version %d, where this program knows %d", head[4], messageVersion)
	}
	axes := int(binary.LittleEndian.Uint16(head[6:]))
	if axes > messageAxes {
		return 0, malformed("an array of %d axes", axes)
	}
	return int(head[5]) + 8*(2+2*axes), nil
}

// decodeView returns the view, without its memory, that a head and its body describe, and the size of the memory. All elements
// lie within it.
func decodeView(head, body []byte) (v View, bytes int, err error) {
	name, axes := string(body[:head[5]]), int(binary.LittleEndian.Uint16(head[6:]))
	numbers := make([]int, 2+2*axes)
	for i := range numbers {
		n := int64(binary.LittleEndian.Uint64(body[len(name)+8*i:]))
		if n != int64(int(n)) {
			return View{}, 0, malformed("%d is more than this machine counts", n)
		}
		numbers[i] = int(n)
	}
	v = View{Offset: numbers[1], Shape: numbers[2 : 2+axes : 2+axes], Strides: numbers[2+axes:]}
	if v.DType, err = dtype.Parse(name); err != nil {
		return View{}, 0, malformed("%v", err)
	}
	if problem := ShapeProblem(v.DType, v.Shape); problem != "" {
		return View{}, 0, malformed("%s", problem)
	}
	bytes = numbers[0]
	if v.Count() == 0 {
		v.Offset, v.Strides = 0, RowMajor(v.Shape)
		if bytes != 0 {
			return View{}, 0, malformed("no elements in %d bytes", bytes)
		}
		return v, 0, nil
	}
	for axis, row := range RowMajor(v.Shape) {
		if v.Shape[axis] == 1 {
			v.Strides[axis] = row // nobody goes from one index to the next
		}
	}
	if !v.within(bytes) {
		return View{}, 0, malformed("elements outside of %d bytes", bytes)
	}
	return v, bytes, nil
}

// within reports whether all elements of v, which has some, lie in memory of the given size. Nothing else is known of v.
func (v View) within(bytes int) bool {
	count := bytes / v.DType.Size()
	if v.Offset < 0 || v.Offset >= count {
		return false
	}
	before, behind := v.Offset, count-1-v.Offset // elements that are left on either side
	for axis, n := range v.Shape {
		room, stride := &behind, v.Strides[axis]
		if stride < 0 {
			if stride == math.MinInt {
				return false
			}
			room, stride = &before, -stride
		}
		if n > 1 && stride > *room/(n-1) {
			return false
		}
		*room -= (n - 1) * stride
	}
	return true
}
