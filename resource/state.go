package resource

import (
	"encoding"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/weft-nd/weft/fault"
)

// State is where a Generator stands: all that is needed to go on from there. Generators that were split off have states of
// their own.
type State struct {
	Key      uint64 // of the stream
	Sequence uint64 // of the next ticket
	Children uint64 // split off so far
}

// stateFormat begins what MarshalBinary returns: a name with the version of the format. Behind it come the fields of State
// in little-endian order and a CRC-32 of all before.
const (
	stateFormat = "weft.Generator/1"
	stateFields = len(stateFormat) + 3*8
	stateBytes  = stateFields + crc32.Size
)

var _ interface {
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
	encoding.TextMarshaler
	encoding.TextUnmarshaler
} = (*Generator)(nil)

// MarshalBinary implements encoding.BinaryMarshaler: it returns State in 44 bytes.
func (g *Generator) MarshalBinary() ([]byte, error) {
	s := g.State()
	data := append(make([]byte, 0, stateBytes), stateFormat...)
	for _, field := range []uint64{s.Key, s.Sequence, s.Children} {
		data = binary.LittleEndian.AppendUint64(data, field)
	}
	return binary.LittleEndian.AppendUint32(data, crc32.ChecksumIEEE(data)), nil
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler: it restores what MarshalBinary returned. Anything else is a
// *fault.Error with the cause fault.ErrParameter, after which g goes on as before.
func (g *Generator) UnmarshalBinary(data []byte) error {
	if len(data) != stateBytes || string(data[:len(stateFormat)]) != stateFormat {
		return badState(fmt.Sprintf("%d bytes do not hold a state of the format %s", len(data), stateFormat))
	}
	if binary.LittleEndian.Uint32(data[stateFields:]) != crc32.ChecksumIEEE(data[:stateFields]) {
		return badState("the state is damaged: its checksum does not fit")
	}
	fields := data[len(stateFormat):]
	g.Restore(State{
		Key: binary.LittleEndian.Uint64(fields), Sequence: binary.LittleEndian.Uint64(fields[8:]), Children: binary.LittleEndian.Uint64(fields[16:]),
	})
	return nil
}

// MarshalText implements encoding.TextMarshaler, and so makes a string of State in JSON.
func (g *Generator) MarshalText() ([]byte, error) {
	data, err := g.MarshalBinary()
	return base64.StdEncoding.AppendEncode(nil, data), err
}

// UnmarshalText implements encoding.TextUnmarshaler; see UnmarshalBinary.
func (g *Generator) UnmarshalText(text []byte) error {
	data, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		return badState(fmt.Sprintf("the text is no base64: %v", err))
	}
	return g.UnmarshalBinary(data)
}

func badState(detail string) error {
	return &fault.Error{Operator: "Generator", Detail: detail, Cause: fault.ErrParameter, Site: fault.Here(2)}
}
