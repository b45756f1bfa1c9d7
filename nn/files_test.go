package nn_test

import (
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
)

// formats are the files that hold models.
var formats = map[string]struct {
	save func(path string, arrays map[string]*nd.Array) error
	load func(path string) (map[string]*nd.Array, error)
}{
	"npz": {func(path string, arrays map[string]*nd.Array) error { return nd.SaveNPZ(path, arrays) }, nd.LoadNPZ},
	"compressed npz": {func(path string, arrays map[string]*nd.Array) error {
		return nd.SaveNPZ(path, arrays, nd.Compressed())
	}, nd.LoadNPZ},
	"safetensors": {func(path string, arrays map[string]*nd.Array) error { return nd.SaveSafetensors(path, arrays, nil) }, loadSafetensors},
}

func loadSafetensors(path string) (map[string]*nd.Array, error) {
	arrays, _, err := nd.LoadSafetensors(path)
	return arrays, err
}

// everyLayer has a layer of each kind that has parameters or a state, with samples for it.
var everyLayer = map[string]struct {
	make func(env *nd.Env) nn.Layer
	x    func() *nd.Array
}{
	"dense":          {func(e *nd.Env) nn.Layer { return nn.NewDense(e, 3, 4) }, func() *nd.Array { return drawn(5, 3) }},
	"convolution 1":  {func(e *nd.Env) nn.Layer { return nn.NewConv1D(e, 3, 4, 2) }, func() *nd.Array { return drawn(5, 3, 6) }},
	"convolution":    {func(e *nd.Env) nn.Layer { return nn.NewConv2D(e, 2, 4, 3, nn.Groups(2)) }, func() *nd.Array { return drawn(2, 2, 6, 5) }},
	"convolution 3":  {func(e *nd.Env) nn.Layer { return nn.NewConv3D(e, 2, 3, 2) }, func() *nd.Array { return drawn(2, 2, 3, 4, 3) }},
	"transposed 1":   {func(e *nd.Env) nn.Layer { return nn.NewConvTranspose1D(e, 2, 3, 2) }, func() *nd.Array { return drawn(2, 2, 4) }},
	"transposed 3":   {func(e *nd.Env) nn.Layer { return nn.NewConvTranspose3D(e, 2, 3, 2) }, func() *nd.Array { return drawn(2, 2, 3, 2, 3) }},
	"transposed":     {func(e *nd.Env) nn.Layer { return nn.NewConvTranspose2D(e, 2, 3, 2) }, func() *nd.Array { return drawn(2, 2, 4, 5) }},
	"batch norm":     {func(e *nd.Env) nn.Layer { return nn.NewBatchNorm(e, 3) }, func() *nd.Array { return drawn(5, 3, 2, 2) }},
	"layer norm":     {func(e *nd.Env) nn.Layer { return nn.NewLayerNorm(e, 2, 3) }, func() *nd.Array { return drawn(5, 2, 3) }},
	"rms norm":       {func(e *nd.Env) nn.Layer { return nn.NewRMSNorm(e, 3) }, func() *nd.Array { return drawn(5, 3) }},
	"group norm":     {func(e *nd.Env) nn.Layer { return nn.NewGroupNorm(e, 2, 4) }, func() *nd.Array { return drawn(3, 4, 2) }},
	"embedding":      {func(e *nd.Env) nn.Layer { return nn.NewEmbedding(e, 6, 3) }, func() *nd.Array { return nd.FromSlice([]int64{0, 5, 2}) }},
	"positions":      {func(e *nd.Env) nn.Layer { return nn.NewPositionalEmbedding(e, 4, 6) }, func() *nd.Array { return drawn(2, 3, 6) }},
	"attention":      {func(e *nd.Env) nn.Layer { return nn.NewMultiHeadAttention(e, 6, 2, nn.Causal()) }, func() *nd.Array { return drawn(2, 4, 6) }},
	"lstm":           {func(e *nd.Env) nn.Layer { return nn.NewLSTM(e, 3, 2, nn.Stacked(2), nn.Bidirectional()) }, func() *nd.Array { return drawn(2, 4, 3) }},
	"gru":            {func(e *nd.Env) nn.Layer { return nn.NewGRU(e, 3, 2, nn.Unbiased()) }, func() *nd.Array { return drawn(2, 4, 3) }},
	"rnn":            {func(e *nd.Env) nn.Layer { return nn.NewRNN(e, 3, 2, nn.Rectified()) }, func() *nd.Array { return drawn(2, 4, 3) }},
	"lstm cell":      {func(e *nd.Env) nn.Layer { return nn.NewLSTMCell(e, 3, 2) }, func() *nd.Array { return drawn(2, 3) }},
	"gru cell":       {func(e *nd.Env) nn.Layer { return nn.NewGRUCell(e, 3, 2) }, func() *nd.Array { return drawn(2, 3) }},
	"sequential":     {func(e *nd.Env) nn.Layer { return newStateful(e) }, func() *nd.Array { return drawn(2, 1, 4, 4) }},
	"parts":          {func(e *nd.Env) nn.Layer { return newDownsampling(e) }, func() *nd.Array { return drawn(2, 2, 4, 4) }},
	"unknown sizes":  {func(e *nd.Env) nn.Layer { return built(unknownModel(e.Generator().Next().Key)) }, func() *nd.Array { return drawn(2, 2, 8, 8) }},
	"nothing at all": {func(*nd.Env) nn.Layer { return nn.NewSequential(nn.Flatten, nn.Relu) }, func() *nd.Array { return drawn(2, 3) }},
}

func built(l *nn.Sequential) nn.Layer {
	nn.Build(l, nd.Zeros[float32](0, 2, 8, 8))
	return l
}

func TestModelsGoThroughFilesToTheBit(t *testing.T) {
	for name, c := range everyLayer {
		for format, file := range formats {
			t.Run(name+"/"+format, func(t *testing.T) {
				first, second := c.make(nd.DefaultEnv().WithSeed(1)), c.make(nd.DefaultEnv().WithSeed(2))
				for range 2 { // averages that run
					first.Forward(nn.Train(nil, nd.DefaultEnv().WithSeed(3).Generator()), c.x())
				}
				path := filepath.Join(t.TempDir(), "model")
				require.NoError(t, file.save(path, nn.State(first)))
				loaded, err := file.load(path)
				require.NoError(t, err)
				require.NoError(t, nn.SetState(second, loaded))
				require.Equal(t, stateBits(t, first), stateBits(t, second))
				require.Equal(t, elements(t, first.Forward(nn.Infer(), c.x())), elements(t, second.Forward(nn.Infer(), c.x())))
			})
		}
	}
}

// TestParametersMissingOrTooManyInAFileAreNamedAndChangeNothing gives the whole of each message but for the line of the call.
func TestParametersMissingOrTooManyInAFileAreNamedAndChangeNothing(t *testing.T) {
	for text, change := range map[string]func(arrays map[string]*nd.Array){
		"there is no array 0.weight":                                         func(a map[string]*nd.Array) { delete(a, "0.weight") },
		"there is no array 1.0.variances":                                    func(a map[string]*nd.Array) { delete(a, "1.0.variances") },
		"the model has no array 4.weight":                                    func(a map[string]*nd.Array) { a["4.weight"] = nd.Ones[float32](2) },
		"3.weight is float32 (3,8), want float32 (8,3), as its transpose is": func(a map[string]*nd.Array) { a["3.weight"] = a["3.weight"].T() },
		"3.weight is float32 (4,8), want float32 (8,3)":                      func(a map[string]*nd.Array) { a["3.weight"] = nd.Ones[float32](4, 8) },
		"3.bias is float64 (3,), want float32 (3,)":                          func(a map[string]*nd.Array) { a["3.bias"] = nd.Ones[float64](3) },
		"there is no array 0.bias\nthe model has no array 0.offset":          func(a map[string]*nd.Array) { a["0.offset"] = a["0.bias"]; delete(a, "0.bias") },
	} {
		for format, file := range formats {
			t.Run(text+"/"+format, func(t *testing.T) {
				model := newStateful(nd.DefaultEnv().WithSeed(1))
				before, state := stateBits(t, model), nn.State(newStateful(nd.DefaultEnv().WithSeed(2)))
				change(state)
				path := filepath.Join(t.TempDir(), "model")
				require.NoError(t, file.save(path, state))
				loaded, err := file.load(path)
				require.NoError(t, err)
				err = nn.SetState(model, loaded)
				require.ErrorIs(t, err, fault.ErrParameter)
				require.Regexp(t, "^weft: SetState: the arrays are of another model: "+regexp.QuoteMeta(text)+` ?at files_test\.go:\d+$`, err.Error())
				require.Equal(t, before, stateBits(t, model))
			})
		}
	}
}
