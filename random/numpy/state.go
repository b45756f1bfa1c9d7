package numpy

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
)

// The formats of MarshalBinary: a name with a version, the fields in little-endian order, and a CRC-32 of all before.
const (
	philoxFormat = "numpy.Philox/1"
	mtFormat     = "numpy.MT19937/1"
)

var _ = []interface {
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
	encoding.TextMarshaler
	encoding.TextUnmarshaler
	json.Marshaler
	json.Unmarshaler
}{(*Philox)(nil), (*MT19937)(nil)}

func seal(format string, fields any) ([]byte, error) {
	data, err := binary.Append([]byte(format), binary.LittleEndian, fields)
	if err != nil {
		return nil, err
	}
	return binary.LittleEndian.AppendUint32(data, crc32.ChecksumIEEE(data)), nil
}

func unseal(format string, data []byte, fields any) error {
	rest, found := bytes.CutPrefix(data, []byte(format))
	if !found || len(rest) != binary.Size(fields)+crc32.Size {
		return fmt.Errorf("numpy: %d bytes are no %s", len(data), format)
	}
	sealed := len(data) - crc32.Size
	if binary.LittleEndian.Uint32(data[sealed:]) != crc32.ChecksumIEEE(data[:sealed]) {
		return fmt.Errorf("numpy: %s is damaged: its checksum does not fit", format)
	}
	_, err := binary.Decode(rest, binary.LittleEndian, fields)
	return err
}

// philoxState is bit_generator.state of a Philox.
type philoxState struct {
	BitGenerator string `json:"bit_generator"`
	State        struct {
		Counter []uint64 `json:"counter"`
		Key     []uint64 `json:"key"`
	} `json:"state"`
	Buffer         []uint64 `json:"buffer"`
	BufferPosition int      `json:"buffer_pos"`
	HasUint32      int      `json:"has_uint32"`
	Uinteger       uint32   `json:"uinteger"`
}

// philoxFields is what the binary form holds.
type philoxFields struct {
	Key             [2]uint64
	Counter, Buffer [4]uint64
	Half            uint32
	Position        uint8
	Halved          uint8
}

func (p *Philox) set(f *philoxFields) error {
	if int(f.Position) > len(f.Buffer) || f.Halved > 1 {
		return fmt.Errorf("numpy: no state of a Philox: position %d, %d halves", f.Position, f.Halved)
	}
	*p = Philox{f.Key, f.Counter, f.Buffer, int(f.Position), f.Half, f.Halved == 1}
	return nil
}

// MarshalBinary implements encoding.BinaryMarshaler.
func (p *Philox) MarshalBinary() ([]byte, error) {
	return seal(philoxFormat, &philoxFields{p.key, p.counter, p.buffer, p.half, uint8(p.position), bit(p.halved)})
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. After an error p is what it was.
func (p *Philox) UnmarshalBinary(data []byte) error {
	var f philoxFields
	if err := unseal(philoxFormat, data, &f); err != nil {
		return err
	}
	return p.set(&f)
}

// MarshalJSON returns bit_generator.state of NumPy, with lists for arrays.
func (p *Philox) MarshalJSON() ([]byte, error) {
	s := philoxState{
		BitGenerator: "Philox", Buffer: p.buffer[:], BufferPosition: p.position, HasUint32: int(bit(p.halved)), Uinteger: p.half,
	}
	s.State.Counter, s.State.Key = p.counter[:], p.key[:]
	return json.Marshal(s)
}

// UnmarshalJSON reads what MarshalJSON and NumPy write. After an error p is what it was.
func (p *Philox) UnmarshalJSON(data []byte) error {
	var s philoxState
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("numpy: no state of a Philox: %w", err)
	}
	var f philoxFields
	if s.BitGenerator != "Philox" || len(s.State.Key) != len(f.Key) || len(s.State.Counter) != len(f.Counter) ||
		len(s.Buffer) != len(f.Buffer) || s.BufferPosition&math.MaxUint8 != s.BufferPosition || s.HasUint32&1 != s.HasUint32 {
		return fmt.Errorf("numpy: no state of a Philox: bit_generator is %q, with %d words of key, %d of counter and %d in the buffer, read from word %d on",
			s.BitGenerator, len(s.State.Key), len(s.State.Counter), len(s.Buffer), s.BufferPosition)
	}
	f = philoxFields{
		[2]uint64(s.State.Key), [4]uint64(s.State.Counter), [4]uint64(s.Buffer), s.Uinteger, uint8(s.BufferPosition), uint8(s.HasUint32),
	}
	return p.set(&f)
}

// MarshalText returns the text of MarshalJSON.
func (p *Philox) MarshalText() ([]byte, error) { return p.MarshalJSON() }

// UnmarshalText reads the text of MarshalText. After an error p is what it was.
func (p *Philox) UnmarshalText(text []byte) error { return p.UnmarshalJSON(text) }

// mtState is bit_generator.state of an MT19937.
type mtState struct {
	BitGenerator string `json:"bit_generator"`
	State        struct {
		Key      []uint32 `json:"key"`
		Position int      `json:"pos"`
	} `json:"state"`
}

// mtFields is what the binary form holds.
type mtFields struct {
	Key      [mtSize]uint32
	Position uint32
}

func (m *MT19937) set(f *mtFields) error {
	if f.Position > mtSize {
		return fmt.Errorf("numpy: no state of an MT19937: position %d of %d", f.Position, mtSize)
	}
	*m = MT19937{f.Key, int(f.Position)}
	return nil
}

// MarshalBinary implements encoding.BinaryMarshaler.
func (m *MT19937) MarshalBinary() ([]byte, error) {
	return seal(mtFormat, &mtFields{m.key, uint32(m.position)})
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. After an error m is what it was.
func (m *MT19937) UnmarshalBinary(data []byte) error {
	var f mtFields
	if err := unseal(mtFormat, data, &f); err != nil {
		return err
	}
	return m.set(&f)
}

// MarshalJSON returns bit_generator.state of NumPy, with a list for the array.
func (m *MT19937) MarshalJSON() ([]byte, error) {
	s := mtState{BitGenerator: "MT19937"}
	s.State.Key, s.State.Position = m.key[:], m.position
	return json.Marshal(s)
}

// UnmarshalJSON reads what MarshalJSON and NumPy write. After an error m is what it was.
func (m *MT19937) UnmarshalJSON(data []byte) error {
	var s mtState
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("numpy: no state of an MT19937: %w", err)
	}
	if s.BitGenerator != "MT19937" || len(s.State.Key) != mtSize || s.State.Position < 0 || s.State.Position > mtSize {
		return fmt.Errorf("numpy: no state of an MT19937: bit_generator is %q, with %d words of key, read from word %d on",
			s.BitGenerator, len(s.State.Key), s.State.Position)
	}
	return m.set(&mtFields{[mtSize]uint32(s.State.Key), uint32(s.State.Position)})
}

// MarshalText returns the text of MarshalJSON.
func (m *MT19937) MarshalText() ([]byte, error) { return m.MarshalJSON() }

// UnmarshalText reads the text of MarshalText. After an error m is what it was.
func (m *MT19937) UnmarshalText(text []byte) error { return m.UnmarshalJSON(text) }

func bit(set bool) uint8 {
	if set {
		return 1
	}
	return 0
}
