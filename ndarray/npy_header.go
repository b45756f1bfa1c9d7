package ndarray

import (
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// npyMagic begins every npy file (NumPy Enhancement Proposal 1). Version, length and header follow: a Python dictionary.
const npyMagic = "\x93NUMPY"

// maxHeader bounds the header of files that are read: one is a few dozen bytes.
const maxHeader = 1 << 16

// maxRank is how many axes a file may have, as in NumPy.
const maxRank = 64

// npyHeader is what the header of an npy file says.
type npyHeader struct {
	dtype   dtype.DType
	swapped bool // bytes of elements, or of their real and imaginary parts, run against the order of this machine
	columns bool // the first axis runs fastest, as in Fortran
	shape   []int
}

// npyCodes are the names that NumPy gives element types, without byte order.
var npyCodes = map[dtype.DType]string{
	dtype.Bool: "b1", dtype.Int8: "i1", dtype.Int16: "i2", dtype.Int32: "i4", dtype.Int64: "i8", dtype.Uint8: "u1",
	dtype.Uint16: "u2", dtype.Uint32: "u4", dtype.Uint64: "u8", dtype.Float16: "f2", dtype.Float32: "f4",
	dtype.Float64: "f8", dtype.Complex64: "c8", dtype.Complex128: "c16", dtype.BFloat16: "V2",
}

// machineOrder is NumPy's letter for the byte order of this machine.
var machineOrder = func() string {
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		return "<"
	}
	return ">"
}()

// growth is the room that NumPy leaves in headers for the length of the axis along which a file may grow.
const growth = 21

// encode returns the beginning of a file up to its elements, a multiple of 64 bytes, as numpy.save pads it.
func (h npyHeader) encode() ([]byte, error) {
	order, columns := machineOrder, "False"
	if h.dtype.Size() == 1 {
		order = "|"
	}
	if h.columns {
		columns = "True"
	}
	text := fmt.Sprintf("{'descr': '%s%s', 'fortran_order': %s, 'shape': %s, }", order, npyCodes[h.dtype], columns, spaced(h.shape))
	if rank := len(h.shape); rank > 0 {
		axis := 0
		if h.columns {
			axis = rank - 1
		}
		text += strings.Repeat(" ", growth-len(strconv.Itoa(h.shape[axis])))
	}
	const prefix = len(npyMagic) + 4
	text += strings.Repeat(" ", 64-(prefix+len(text)+1)%64) + "\n"
	if len(h.shape) > maxRank {
		return nil, fmt.Errorf("%d axes are too many for a file: %w", len(h.shape), fault.ErrShape)
	}
	start := append([]byte(npyMagic), 1, 0)
	start = binary.LittleEndian.AppendUint16(start, uint16(len(text)))
	return append(start, text...), nil
}

// spaced returns shape as Python prints it.
func spaced(shape []int) string {
	return strings.NewReplacer(",)", ",)", ",", ", ").Replace(fault.FormatShape(shape))
}

// readHeader reads the beginning of a file up to its elements, and returns how many bytes that are.
func readHeader(r io.Reader) (h npyHeader, length int, err error) {
	start := make([]byte, len(npyMagic)+2)
	if err := readFull(r, start); err != nil {
		return h, 0, err
	}
	if string(start[:len(npyMagic)]) != npyMagic {
		return h, 0, fmt.Errorf("it does not begin as an npy file: %w", ErrFormat)
	}
	size := make([]byte, 4)
	switch version := start[len(npyMagic)]; version {
	case 1:
		size = size[:2]
	case 2, 3:
	default:
		return h, 0, fmt.Errorf("version %d of the npy format is unknown: %w", version, ErrFormat)
	}
	if err := readFull(r, size); err != nil {
		return h, 0, err
	}
	bytes := binary.LittleEndian.Uint32(append(size, 0, 0)[:4])
	if bytes > maxHeader {
		return h, 0, fmt.Errorf("a header of %d bytes: %w", bytes, ErrFormat)
	}
	text := make([]byte, bytes)
	if err := readFull(r, text); err != nil {
		return h, 0, err
	}
	h, err = parseHeader(string(text))
	return h, len(start) + len(size) + len(text), err
}

// readFull fills data from r; an end before that is an error with ErrFormat and io.ErrUnexpectedEOF.
func readFull(r io.Reader, data []byte) error {
	_, err := io.ReadFull(r, data)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("%w: %w", ErrFormat, io.ErrUnexpectedEOF)
	}
	return err
}

// parseHeader reads a dictionary of the three keys in any order.
func parseHeader(text string) (npyHeader, error) {
	h := npyHeader{}
	malformed := func(what string) (npyHeader, error) {
		return npyHeader{}, fmt.Errorf("header %.200q: %s: %w", text, what, ErrFormat)
	}
	body, opened := strings.CutPrefix(strings.TrimSpace(text), "{")
	body, closed := strings.CutSuffix(body, "}")
	if !opened || !closed {
		return malformed("it is no dictionary")
	}
	seen := map[string]bool{}
	for body = strings.TrimSpace(body); body != ""; {
		key, rest, found := strings.Cut(body, ":")
		key = strings.Trim(strings.TrimSpace(key), `'"`)
		if !found || seen[key] {
			return malformed("its keys are not as they should be")
		}
		seen[key] = true
		rest = strings.TrimSpace(rest)
		end := strings.IndexByte(rest, ',')
		if strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "[") {
			if end = bracketed(rest); end < 0 {
				return malformed(key + " has no end")
			}
		}
		if end < 0 {
			end = len(rest)
		}
		if problem := h.set(key, strings.TrimSpace(rest[:end])); problem != "" {
			return malformed(problem)
		}
		body = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(rest[end:]), ","))
	}
	if len(seen) != 3 {
		return malformed("it lacks a key")
	}
	if storage.ShapeProblem(h.dtype, h.shape) != "" {
		return malformed("the shape is too large")
	}
	return h, nil
}

// bracketed returns how many bytes of text there are up to the bracket that closes its first one; -1 if none does.
func bracketed(text string) int {
	depth, quote := 0, rune(0)
	for i, c := range text {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// set takes one entry of the dictionary, and returns what is wrong with it.
func (h *npyHeader) set(key, value string) (problem string) {
	switch key {
	case "descr":
		return h.setType(value)
	case "fortran_order":
		h.columns = value == "True"
		if value != "True" && value != "False" {
			return "fortran_order is " + value
		}
	case "shape":
		inner, opened := strings.CutPrefix(value, "(")
		inner, closed := strings.CutSuffix(inner, ")")
		if !opened || !closed {
			return "the shape is no tuple"
		}
		h.shape = []int{}
		for word := range strings.SplitSeq(strings.TrimSuffix(strings.TrimSpace(inner), ","), ",") {
			if word = strings.TrimSpace(word); word == "" && inner == "" {
				break
			}
			n, err := strconv.Atoi(strings.TrimSuffix(word, "L")) // Python 2 wrote long integers
			if err != nil || n < 0 || len(h.shape) == maxRank {
				return "the shape has a size that is none, or too many"
			}
			h.shape = append(h.shape, n)
		}
	default:
		return "unknown key " + key
	}
	return ""
}

func (h *npyHeader) setType(value string) (problem string) {
	if len(value) < 4 || value[0] != '\'' && value[0] != '"' || value[len(value)-1] != value[0] {
		return unsupported(value)
	}
	order, code := value[1:2], value[2:len(value)-1]
	for d, known := range npyCodes {
		if code == known && strings.Contains("<>=|", order) && (order != "|" || d.Size() == 1) {
			h.dtype = d
			h.swapped = (order == "<" || order == ">") && order != machineOrder
			return ""
		}
		if code == known && d == dtype.BFloat16 && order == "|" { // as NumPy writes raw bytes of its own
			h.dtype = d
			return ""
		}
	}
	if strings.HasPrefix(code, "O") {
		return "it holds objects of Python, which only Python reads"
	}
	return unsupported(value)
}

func unsupported(value string) (problem string) {
	return fmt.Sprintf("elements of type %.200s are not supported", value)
}
