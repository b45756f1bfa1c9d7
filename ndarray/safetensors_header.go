package ndarray

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// maxSafetensorsHeader bounds the header, as in the reference implementation.
const maxSafetensorsHeader = 100_000_000

// metadataKey is the name in the header under which the metadata are.
const metadataKey = "__metadata__"

// safetensorsCodes are the names that the format gives element types, in the order in which the reference implementation writes them.
var safetensorsCodes = []safetensorsCode{
	{dtype.Uint64, "U64"}, {dtype.Int64, "I64"}, {dtype.Float64, "F64"}, {dtype.Complex64, "C64"}, {dtype.Float32, "F32"}, {dtype.Uint32, "U32"},
	{dtype.Int32, "I32"}, {dtype.BFloat16, "BF16"}, {dtype.Float16, "F16"}, {dtype.Uint16, "U16"}, {dtype.Int16, "I16"}, {dtype.Int8, "I8"},
	{dtype.Uint8, "U8"}, {dtype.Bool, "BOOL"},
}

type safetensorsCode struct {
	dtype dtype.DType
	name  string
}

// safetensorsPlace returns the place of an element type among safetensorsCodes; -1 if it has none.
func safetensorsPlace(d dtype.DType) int {
	return slices.IndexFunc(safetensorsCodes, func(code safetensorsCode) bool { return code.dtype == d })
}

// safetensorsEntry is what the header says of one array; lo and hi are bytes behind the header.
type safetensorsEntry struct {
	name   string
	dtype  dtype.DType
	shape  []int
	lo, hi int
}

// encodeSafetensors returns the beginning of a file up to its elements, and the entries in the order of these, filled in with where they
// are. Alignment follows from the order: larger elements are first.
func encodeSafetensors(entries []safetensorsEntry, metadata map[string]string) ([]byte, error) {
	slices.SortFunc(entries, func(a, b safetensorsEntry) int {
		return cmp.Or(safetensorsPlace(a.dtype)-safetensorsPlace(b.dtype), strings.Compare(a.name, b.name))
	})
	var text bytes.Buffer
	writer := json.NewEncoder(&text)
	writer.SetEscapeHTML(false)
	put := func(value any) error {
		err := writer.Encode(value)
		text.Truncate(text.Len() - 1) // without the new line
		return err
	}
	text.WriteByte('{')
	if len(metadata) > 0 {
		text.WriteString(`"` + metadataKey + `":`)
		if err := put(metadata); err != nil {
			return nil, err
		}
	}
	offset := 0
	for i := range entries {
		e := &entries[i]
		if len(e.shape) > maxRank {
			return nil, fmt.Errorf("array %q: %d axes are too many for a file: %w", e.name, len(e.shape), fault.ErrShape)
		}
		e.lo, offset = offset, offset+storage.Count(e.shape)*e.dtype.Size()
		e.hi = offset
		if text.Len() > 1 {
			text.WriteByte(',')
		}
		if err := put(e.name); err != nil {
			return nil, err
		}
		fmt.Fprintf(&text, `:{"dtype":"%s","shape":[%s],"data_offsets":[%d,%d]}`, safetensorsCodes[safetensorsPlace(e.dtype)].name,
			strings.ReplaceAll(strings.Trim(fmt.Sprint(e.shape), "[]"), " ", ","), e.lo, e.hi)
	}
	text.WriteByte('}')
	for text.Len()%8 != 0 {
		text.WriteByte(' ')
	}
	if text.Len() > maxSafetensorsHeader {
		return nil, fmt.Errorf("a header of %d bytes, at most %d: %w", text.Len(), maxSafetensorsHeader, fault.ErrParameter)
	}
	return append(binary.LittleEndian.AppendUint64(nil, uint64(text.Len())), text.Bytes()...), nil
}

// readSafetensorsHeader reads the beginning of a file, whose length in bytes it returns. The entries are in the order of their elements.
func readSafetensorsHeader(r io.Reader) (entries []safetensorsEntry, metadata map[string]string, length int, err error) {
	start := make([]byte, 8)
	if err := readFull(r, start); err != nil {
		return nil, nil, 0, err
	}
	size := binary.LittleEndian.Uint64(start)
	if size > maxSafetensorsHeader {
		return nil, nil, 0, fmt.Errorf("a header of %d bytes, at most %d: %w", size, maxSafetensorsHeader, ErrFormat)
	}
	var text bytes.Buffer // grows with what arrives
	if _, err := io.CopyN(&text, r, int64(size)); err != nil {
		if err == io.EOF {
			err = fmt.Errorf("%d of %d bytes of the header are there: %w: %w", text.Len(), size, ErrFormat, io.ErrUnexpectedEOF)
		}
		return nil, nil, 0, err
	}
	p := safetensorsParser{tokens: json.NewDecoder(bytes.NewReader(text.Bytes()))}
	if !utf8.Valid(text.Bytes()) || !bytes.HasPrefix(text.Bytes(), []byte("{")) {
		err = fmt.Errorf("the header is no object: %w", ErrFormat)
	} else if err = p.parse(); err == nil {
		err = checkLayout(p.entries)
	}
	return p.entries, p.metadata, len(start) + int(size), err
}

// checkLayout sorts entries by where their elements are, and returns what is wrong with that: the format has no holes and no overlaps.
func checkLayout(entries []safetensorsEntry) error {
	slices.SortFunc(entries, func(a, b safetensorsEntry) int {
		return cmp.Or(cmp.Compare(a.lo, b.lo), cmp.Compare(a.hi, b.hi), strings.Compare(a.name, b.name))
	})
	end := 0
	for _, e := range entries {
		problem := storage.ShapeProblem(e.dtype, e.shape)
		switch {
		case problem != "":
		case e.lo != end:
			problem = fmt.Sprintf("its elements begin at byte %d, want %d", e.lo, end)
		case e.hi < e.lo || e.hi-e.lo != storage.Count(e.shape)*e.dtype.Size():
			problem = fmt.Sprintf("bytes [%d,%d) are not those of shape %s of %v", e.lo, e.hi, fault.FormatShape(e.shape), e.dtype)
		}
		if problem != "" {
			return fmt.Errorf("array %q: %s: %w", e.name, problem, ErrFormat)
		}
		end = e.hi
	}
	return nil
}

// safetensorsParser reads the header token by token: decoding into values would take the last of equal keys, and keys in any case.
type safetensorsParser struct {
	tokens   *json.Decoder
	entries  []safetensorsEntry
	metadata map[string]string
}

func (p *safetensorsParser) parse() error {
	p.tokens.UseNumber()
	err := p.object(func(name string) error {
		if name == metadataKey {
			p.metadata = map[string]string{}
			return p.object(func(key string) (err error) {
				p.metadata[key], err = p.text()
				return err
			})
		}
		e, err := p.entry()
		if err != nil {
			return fmt.Errorf("array %.200q: %w", name, err)
		}
		e.name = name
		p.entries = append(p.entries, e)
		return nil
	})
	if err != nil {
		return err
	}
	if rest, err := p.tokens.Token(); err != io.EOF {
		return fmt.Errorf("the header goes on with %.20q: %w", fmt.Sprint(rest), ErrFormat)
	}
	return nil
}

func (p *safetensorsParser) entry() (e safetensorsEntry, err error) {
	fields := 0
	err = p.object(func(key string) error {
		fields++
		switch key {
		case "dtype":
			name, err := p.text()
			if err != nil {
				return err
			}
			i := slices.IndexFunc(safetensorsCodes, func(code safetensorsCode) bool { return code.name == name })
			if i < 0 {
				return fmt.Errorf("elements of type %.20q are not supported: %w", name, ErrFormat)
			}
			e.dtype = safetensorsCodes[i].dtype
			return nil
		case "shape":
			e.shape, err = p.numbers(maxRank)
			return err
		case "data_offsets":
			bounds, err := p.numbers(2)
			if err == nil && len(bounds) != 2 {
				err = fmt.Errorf("data_offsets are not two numbers: %w", ErrFormat)
			}
			if err == nil {
				e.lo, e.hi = bounds[0], bounds[1]
			}
			return err
		}
		return fmt.Errorf("unknown key %.20q: %w", key, ErrFormat)
	})
	if err == nil && fields != 3 {
		err = fmt.Errorf("a key is missing: %w", ErrFormat)
	}
	return e, err
}

// token returns the next token; there must be one.
func (p *safetensorsParser) token() (json.Token, error) {
	token, err := p.tokens.Token()
	if err != nil {
		err = fmt.Errorf("the header is no JSON: %v: %w", err, ErrFormat)
	}
	return token, err
}

// object reads an object, whose values member reads. No key may be there twice.
func (p *safetensorsParser) object(member func(key string) error) error {
	opening, err := p.token()
	if err == nil && opening != json.Delim('{') {
		err = fmt.Errorf("%.20q in place of an object: %w", fmt.Sprint(opening), ErrFormat)
	}
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for {
		token, err := p.token()
		if err != nil || token == json.Delim('}') {
			return err
		}
		key, _ := token.(string) // nothing else is a key in JSON
		if seen[key] {
			return fmt.Errorf("key %.200q is there twice: %w", key, ErrFormat)
		}
		seen[key] = true
		if err := member(key); err != nil {
			return err
		}
	}
}

func (p *safetensorsParser) text() (string, error) {
	token, err := p.token()
	text, isText := token.(string)
	if err == nil && !isText {
		err = fmt.Errorf("%.20q in place of a text: %w", fmt.Sprint(token), ErrFormat)
	}
	return text, err
}

// numbers reads a list of at most so many numbers, none negative.
func (p *safetensorsParser) numbers(limit int) ([]int, error) {
	opening, err := p.token()
	if err == nil && opening != json.Delim('[') {
		err = fmt.Errorf("%.20q in place of a list: %w", fmt.Sprint(opening), ErrFormat)
	}
	if err != nil {
		return nil, err
	}
	numbers := []int{}
	for {
		token, err := p.token()
		if err != nil || token == json.Delim(']') {
			return numbers, err
		}
		number, isNumber := token.(json.Number)
		n, err := strconv.ParseUint(string(number), 10, strconv.IntSize-1)
		if !isNumber || err != nil || len(numbers) == limit {
			return nil, fmt.Errorf("%.30q is no size, or one too many: %w", fmt.Sprint(token), ErrFormat)
		}
		numbers = append(numbers, int(n))
	}
}
