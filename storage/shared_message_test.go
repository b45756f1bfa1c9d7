package storage

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
)

// withinSlowly looks at every element.
func withinSlowly(v View, bytes int) bool {
	for i := range v.Count() {
		at := v.Offset
		for axis := len(v.Shape) - 1; axis >= 0; axis-- {
			at += i % v.Shape[axis] * v.Strides[axis]
			i /= v.Shape[axis]
		}
		if at < 0 || (at+1)*v.DType.Size() > bytes {
			return false
		}
	}
	return true
}

func TestViewsAreWithinIfEveryElementIs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	inside := 0
	for range 20_000 {
		v := View{DType: []dtype.DType{dtype.Uint8, dtype.Float32}[random.IntN(2)], Offset: random.IntN(12) - 1}
		for range random.IntN(4) {
			v.Shape, v.Strides = append(v.Shape, 1+random.IntN(4)), append(v.Strides, random.IntN(9)-4)
		}
		bytes := random.IntN(60)
		want := withinSlowly(v, bytes)
		require.Equal(t, want, v.within(bytes), "%+v in %d bytes", v, bytes)
		if want {
			inside++
		}
	}
	require.Greater(t, inside, 2000)
}

func TestViewsWithAbsurdNumbersAreOutside(t *testing.T) {
	huge := []int{math.MaxInt, math.MinInt, math.MinInt + 1, math.MaxInt - 1, math.MaxInt/2 + 1, math.MinInt / 2, 1 << 62, -1 << 62}
	for _, n := range huge {
		for _, v := range []View{
			{Offset: n},
			{Shape: []int{2}, Strides: []int{n}},
			{Offset: 5, Shape: []int{3}, Strides: []int{n}},
			{Offset: 5, Shape: []int{2, 2}, Strides: []int{n, n}},
			{Offset: 5, Shape: []int{2, 2}, Strides: []int{n, -n}},
		} {
			v.DType = dtype.Uint8
			require.False(t, v.within(1000), "%+v", v)
		}
	}
	all := View{DType: dtype.Uint8, Shape: []int{math.MaxInt}, Strides: []int{1}}
	require.True(t, all.within(math.MaxInt))
	require.False(t, all.within(math.MaxInt-1))
}

func decode(message []byte) (View, int, error) {
	size, err := bodySize(message[:messageHead])
	if err != nil {
		return View{}, 0, err
	}
	body := make([]byte, size)
	copy(body, message[messageHead:])
	return decodeView(message[:messageHead], body)
}

func TestMessagesDescribeViews(t *testing.T) {
	for _, v := range []View{
		{DType: dtype.Float32},
		{DType: dtype.Bool, Offset: 3, Shape: []int{2}, Strides: []int{-3}},
		{DType: dtype.Complex128, Offset: 1, Shape: []int{2, 1, 3}, Strides: []int{0, 3, 1}},
		{DType: dtype.BFloat16, Shape: []int{4, 5}, Strides: []int{1, 4}},
	} {
		message, err := encodeView(v, 100)
		require.NoError(t, err)
		got, bytes, err := decode(message)
		require.NoError(t, err)
		require.Equal(t, 100, bytes)
		require.Equal(t, append([]int{}, v.Shape...), append([]int{}, got.Shape...))
		require.Equal(t, append([]int{}, v.Strides...), append([]int{}, got.Strides...))
		require.Equal(t, v.DType, got.DType)
		require.Equal(t, v.Offset, got.Offset)
	}
	_, err := encodeView(View{Shape: make([]int, messageAxes+1), Strides: make([]int, messageAxes+1)}, 0)
	require.ErrorContains(t, err, "1025 axes")
}

func TestStridesThatNobodyFollowsAreNotJudged(t *testing.T) {
	message, err := encodeView(View{DType: dtype.Uint8, Shape: []int{1, 2}, Strides: []int{math.MinInt, 1}}, 2)
	require.NoError(t, err)
	v, _, err := decode(message)
	require.NoError(t, err)
	require.Equal(t, []int{2, 1}, v.Strides)
	message, err = encodeView(View{DType: dtype.Uint8, Offset: 99, Shape: []int{0, 2}, Strides: []int{math.MinInt, 1}}, 0)
	require.NoError(t, err)
	v, _, err = decode(message)
	require.NoError(t, err)
	require.Equal(t, []int{2, 1}, v.Strides)
	require.Zero(t, v.Offset)
}

func TestMalformedMessagesAreErrors(t *testing.T) {
	good := func() []byte {
		message, err := encodeView(View{DType: dtype.Float32, Shape: []int{2, 3}, Strides: []int{3, 1}}, 24)
		require.NoError(t, err)
		return message
	}
	number := func(i int, n uint64) func(m []byte) {
		return func(m []byte) { binary.LittleEndian.PutUint64(m[messageHead+len("float32")+8*i:], n) }
	}
	for name, spoil := range map[string]func(m []byte){
		"magic":               func(m []byte) { m[0]++ },
		"version":             func(m []byte) { m[4]++ },
		"name too short":      func(m []byte) { m[5]-- },
		"name empty":          func(m []byte) { m[5] = 0 },
		"name too long":       func(m []byte) { m[5] = 255 },
		"axes none":           func(m []byte) { m[6] = 0; number(1, 6)(m) },
		"axes too many":       func(m []byte) { m[7] = 255 },
		"unknown dtype":       func(m []byte) { m[messageHead]++ },
		"memory too small":    number(0, 23),
		"no memory":           number(0, 0),
		"negative memory":     number(0, 1<<63),
		"offset beyond":       number(1, 1),
		"negative offset":     number(1, math.MaxUint64),
		"negative size":       number(2, math.MaxUint64),
		"larger size":         number(2, 3),
		"absurd size":         number(3, 1<<62),
		"larger stride":       number(4, 4),
		"negative stride":     number(5, math.MaxUint64),
		"absurd stride":       number(5, 1<<63),
		"absurd other stride": number(4, 1<<62),
		"empty with memory":   number(2, 0),
	} {
		message := good()
		spoil(message)
		_, _, err := decode(message)
		require.ErrorIs(t, err, ErrMalformed, name)
	}
	_, _, err := decode(good())
	require.NoError(t, err)
}

func FuzzMessagesAreRefusedOrWithin(f *testing.F) {
	message, err := encodeView(View{DType: dtype.Uint8, Offset: 2, Shape: []int{2, 2}, Strides: []int{-2, 1}}, 4)
	require.NoError(f, err)
	for i := range message {
		for _, b := range []byte{0, 1, 0x7f, 0x80, 0xff} {
			spoiled := append([]byte{}, message...)
			spoiled[i] = b
			f.Add(spoiled)
		}
	}
	e := engine.NewNaive()
	f.Fuzz(func(t *testing.T, message []byte) {
		if len(message) < messageHead {
			return
		}
		v, bytes, err := decode(message)
		if err != nil {
			require.ErrorIs(t, err, ErrMalformed)
			return
		}
		v.Synced = NewSynced(e, bytes)
		lo, hi := v.Extent()
		require.GreaterOrEqual(t, lo, 0)
		require.LessOrEqual(t, hi, bytes)
		v.CoversAll()
		if v.Count() < 1000 {
			require.True(t, withinSlowly(v, bytes))
		}
	})
}
