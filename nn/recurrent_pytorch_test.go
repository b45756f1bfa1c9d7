package nn_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"math"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
)

var update = flag.Bool("update", false, "write what PyTorch answers to the files in testdata")

// recurrentAnswers is where the answers are for those who have PyTorch not.
const recurrentAnswers = "testdata/recurrent.json"

// pytorchCase is a layer from 3 features to 4, and how it is called.
type pytorchCase struct {
	Kind   string `json:"kind"`
	Layers int    `json:"layers"`
	Both   bool   `json:"both"`
	Bias   bool   `json:"bias"`
	Packed bool   `json:"packed"`
}

func pytorchCases() (cases []pytorchCase) {
	for _, kind := range recurrentKinds {
		cases = append(cases, pytorchCase{kind.name, 1, false, true, false}, pytorchCase{kind.name, 2, true, true, true}, pytorchCase{kind.name, 2, false, false, true})
	}
	return cases
}

// askPyTorch runs the program on the cases, if there is PyTorch, and time for it.
func askPyTorch(t *testing.T, cases []pytorchCase) (answers [][][]float64, found bool) {
	if testing.Short() && !*update {
		return nil, false
	}
	request, err := json.Marshal(cases)
	require.NoError(t, err)
	for _, python := range []string{"../bench/peers/.venv/bin/python", "python3"} {
		if exec.Command(python, "-c", "import torch").Run() != nil {
			continue
		}
		program := exec.Command(python, "testdata/recurrent.py")
		program.Stdin, program.Stderr = bytes.NewReader(request), os.Stderr
		output, err := program.Output()
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(output, &answers))
		return answers, true
	}
	return nil, false
}

// numbers are those of the program.
func numbers(first float64, shape ...int) *nd.Array {
	values := make([]float64, nd.Zeros[float64](shape...).Count())
	for i := range values {
		values[i] = math.Sin(first+0.7*float64(i)) / 2
	}
	return nd.FromSlice(values, shape...)
}

// TestRecurrentLayersGiveTheResultsOfPyTorch compares outputs, last states, and the gradients of the input and of all parameters, which
// are float32 here.
func TestRecurrentLayersGiveTheResultsOfPyTorch(t *testing.T) {
	cases := pytorchCases()
	if *update {
		answers, found := askPyTorch(t, cases)
		require.True(t, found)
		text, err := json.Marshal(answers)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(recurrentAnswers, append(text, '\n'), 0o644))
	}
	text, err := os.ReadFile(recurrentAnswers)
	require.NoError(t, err)
	var answers [][][]float64
	require.NoError(t, json.Unmarshal(text, &answers))
	require.Len(t, answers, len(cases))
	if live, found := askPyTorch(t, cases); found {
		for i, answer := range live {
			for j, values := range answer {
				require.InDeltaSlice(t, answers[i][j], values, 1e-6, "PyTorch answers so now: %+v result %d", cases[i], j)
			}
		}
	}
	env := nd.DefaultEnv()
	for i, c := range cases {
		kind := recurrentKinds[slices.IndexFunc(recurrentKinds, func(k recurrentKind) bool { return k.name == c.Kind })]
		options, units := []nn.RecurrentOption{nn.Stacked(c.Layers)}, c.Layers
		if c.Both {
			options, units = append(options, nn.Bidirectional()), 2*units
		}
		if !c.Bias {
			options = append(options, nn.Unbiased())
		}
		l := kind.layer(env, 3, 4, options...)
		parameters := nn.Params(l)
		for number, p := range parameters {
			nd.CopyInto(p, numbers(float64(number), p.Shape()...).Cast(p.DType()))
		}
		tape := autograd.NewTape()
		x := tape.Watch(numbers(0.5, 3, 5, 3))
		states := []*nd.Array{}
		for number := range kind.states {
			states = append(states, numbers(10+float64(number), units, 3, 4))
		}
		var lengths *nd.Array
		if c.Packed {
			lengths = nd.FromSlice([]int64{3, 5, 1})
		}
		got := l.run(nn.Train(tape, env.Generator()), x, lengths, states)
		loss := nd.Zeros[float64]()
		for _, a := range got {
			loss = loss.Add(a.Square().Sum())
		}
		got = append(got, tape.Gradient(loss, append([]*nd.Array{x}, parameters...)...)...)
		require.Len(t, answers[i], len(got))
		for j, a := range got {
			require.InDeltaSlice(t, answers[i][j], float64s(t, a), 2e-6*max(1, slices.Max(answers[i][j])), "%+v result %d", c, j)
		}
	}
}
