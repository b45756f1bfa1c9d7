package autograd_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/autograd"
	nd "github.com/weft-nd/weft/ndarray"
)

// Where a function has no derivative, its gradient is one that docs/coming-from-pytorch.md tells of.
func TestGradientsAtCorners(t *testing.T) {
	cases := map[string]struct {
		at   []float32
		f    func(x *nd.Array) *nd.Array
		want []float32
	}{
		"relu":            {[]float32{-1, 0, 1}, (*nd.Array).Relu, []float32{0, 0, 1}},
		"abs":             {[]float32{-1, 0, 1}, (*nd.Array).Abs, []float32{-1, 0, 1}},
		"norm of zeros":   {[]float32{0, 0}, func(x *nd.Array) *nd.Array { return x.Norm(2) }, []float32{0, 0}},
		"bounds of clip":  {[]float32{0, 1, 1.5, 2, 3}, func(x *nd.Array) *nd.Array { return x.ClipScalar(1, 2) }, []float32{0, 1, 1, 1, 0}},
		"max of all":      {[]float32{1, 2, 2}, func(x *nd.Array) *nd.Array { return x.Max() }, []float32{0, 0.5, 0.5}},
		"max along axis":  {[]float32{1, 2, 2}, func(x *nd.Array) *nd.Array { return x.Max(0) }, []float32{0, 0.5, 0.5}},
		"maximum of two":  {[]float32{1, 2, 3}, func(x *nd.Array) *nd.Array { return x.Maximum(nd.Full[float32](2, 3)) }, []float32{0, 0.5, 1}},
		"running maximum": {[]float32{1, 1, 2, 2}, func(x *nd.Array) *nd.Array { return x.CumMax(0) }, []float32{2, 0, 2, 0}},
		"median":          {[]float32{1, 1, 1}, func(x *nd.Array) *nd.Array { return x.Median(0) }, []float32{0, 1, 0}},
		"largest":         {[]float32{1, 1, 1}, func(x *nd.Array) *nd.Array { values, _ := x.TopK(1, 0); return values }, []float32{1, 0, 0}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			tape := autograd.NewTape()
			x := tape.Watch(nd.FromSlice(c.at))
			got, err := nd.Values[float32](tape.Gradient(c.f(x).Sum(), x)[0])
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}
