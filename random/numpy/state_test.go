package numpy

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// stream is what both generators have.
type stream interface {
	rand.Source
	Uint32() uint32
	Float64() float64
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
	encoding.TextMarshaler
	encoding.TextUnmarshaler
}

// streams returns each generator, and a fresh one of its type.
func streams() map[string][2]stream {
	return map[string][2]stream{
		"Philox":  {NewPhilox(5), &Philox{}},
		"MT19937": {NewMT19937(5), &MT19937{}},
		"legacy":  {NewLegacyMT19937(5), &MT19937{}},
	}
}

func TestRestoredStreamsGoOnAsTheSavedOnes(t *testing.T) {
	for name := range streams() {
		for _, used := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 621, 622, 623, 624, 625, 626, 1246, 1247, 1248} {
			all := streams()[name]
			saved, restored := all[0], all[1]
			for range used {
				saved.Uint32()
			}
			form := []string{"binary", "text", "JSON"}[used%3]
			var data []byte
			var err error
			switch form {
			case "binary":
				data, err = saved.MarshalBinary()
				require.NoError(t, err)
				require.NoError(t, restored.UnmarshalBinary(data))
			case "text":
				data, err = saved.MarshalText()
				require.NoError(t, err)
				require.NoError(t, restored.UnmarshalText(data))
			case "JSON":
				data, err = json.Marshal(saved)
				require.NoError(t, err)
				require.NoError(t, json.Unmarshal(data, restored))
			}
			for range 5 {
				require.Equal(t, saved.Uint32(), restored.Uint32(), "%s in %s after %d numbers", name, form, used)
				require.Equal(t, saved.Uint64(), restored.Uint64())
				require.Equal(t, saved.Float64(), restored.Float64())
			}
			require.Equal(t, saved, restored)
		}
	}
}

// The texts are what json.dumps gives for the states of NumPy, once arrays are lists.
func TestStatesOfNumPyAreRead(t *testing.T) {
	var p Philox
	require.NoError(t, json.Unmarshal([]byte(`{"bit_generator": "Philox", "state": {"counter": [18446744073709551615, 0, 1, 0], "key": [1, 2]},
		"buffer": [0, 0, 0, 0], "buffer_pos": 4, "has_uint32": 1, "uinteger": 4294967295}`), &p))
	require.EqualValues(t, 1<<32-1, p.Uint32())
	require.Equal(t, NewPhiloxAt([2]uint64{1, 2}, [4]uint64{1<<64 - 1, 0, 1}).Uint64(), p.Uint64())

	var m MT19937
	key := strings.TrimSuffix(strings.Repeat("3, ", 624), ", ")
	require.NoError(t, json.Unmarshal(fmt.Appendf(nil, `{"bit_generator": "MT19937", "state": {"key": [%s], "pos": 624}}`, key), &m))
	want := MT19937{position: 624}
	for i := range want.key {
		want.key[i] = 3
	}
	require.Equal(t, want, m)
}

func TestDamagedStatesAreErrorsThatChangeNothing(t *testing.T) {
	for name, all := range streams() {
		s := all[0]
		s.Uint32()
		before, err := s.MarshalBinary()
		require.NoError(t, err)
		refused := func(err error) {
			t.Helper()
			require.ErrorContains(t, err, "numpy: ")
			now, err := s.MarshalBinary()
			require.NoError(t, err)
			require.Equal(t, before, now)
		}
		for i := range before {
			damaged := append([]byte{}, before...)
			damaged[i] ^= 1 << (i % 8)
			refused(s.UnmarshalBinary(damaged))
		}
		for _, length := range []int{0, 1, len(philoxFormat), len(before) - 1} {
			refused(s.UnmarshalBinary(before[:length]))
		}
		refused(s.UnmarshalBinary(append(append([]byte{}, before...), 0)))

		text, err := s.MarshalText()
		require.NoError(t, err)
		for _, change := range [][2]string{
			{`"bit_generator":"`, `"bit_generator":"X`}, {`pos":`, `pos":9999`}, {`pos":`, `pos":-`}, {`"key":[`, `"key":[1,`}, {`"key":[`, `"key":[-`},
			{`"key":[`, `"key":[18446744073709551616,`}, {`{`, ``},
		} {
			damaged := strings.Replace(string(text), change[0], change[1], 1)
			require.NotEqual(t, string(text), damaged)
			refused(s.UnmarshalText([]byte(damaged)))
		}
		var other stream = &Philox{}
		if name == "Philox" {
			for _, change := range [][2]string{
				{`"counter":[`, `"counter":[1,`}, {`"buffer":[`, `"buffer":[1,`}, {`"has_uint32":1`, `"has_uint32":2`}, {`"uinteger":`, `"uinteger":99999999999`},
			} {
				damaged := strings.Replace(string(text), change[0], change[1], 1)
				require.NotEqual(t, string(text), damaged)
				refused(s.UnmarshalText([]byte(damaged)))
			}
			other = &MT19937{}
		}
		require.Error(t, other.UnmarshalBinary(before), "of another generator")
		require.Error(t, other.UnmarshalText(text), "of another generator")
	}
}
