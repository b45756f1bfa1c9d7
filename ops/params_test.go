package ops

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// eachParameter runs body for every parameter of every operator, with the parameters of its first sample by name.
func eachParameter(t *testing.T, body func(t *testing.T, op *Operator, p Parameter, legal map[string]any)) {
	for _, op := range All() {
		for _, p := range op.Parameters() {
			legal := map[string]any{}
			for _, other := range op.Parameters() {
				legal[other.Name] = reflect.ValueOf(op.Samples[0].Params).Field(other.index).Interface()
			}
			t.Run(op.Name+" "+p.Name, func(t *testing.T) { body(t, op, p, legal) })
		}
	}
}

func requireIllegal(t *testing.T, op *Operator, values map[string]any, text string) {
	t.Helper()
	_, err := op.ParseParams(values)
	require.ErrorIs(t, err, fault.ErrParameter)
	require.ErrorContains(t, err, op.Name+": ")
	require.ErrorContains(t, err, text)
	require.Regexp(t, `at params_test\.go:\d+$`, err.Error())
}

func TestEveryParameterIsDocumented(t *testing.T) {
	eachParameter(t, func(t *testing.T, op *Operator, p Parameter, _ map[string]any) {
		require.NotEmpty(t, p.Doc)
		require.Regexp(t, `^[a-z_]+$`, p.Name)
	})
}

// TestParametersOutOfTheirRangeAreErrors tries each bound by name and in the struct.
func TestParametersOutOfTheirRangeAreErrors(t *testing.T) {
	tried := 0
	eachParameter(t, func(t *testing.T, op *Operator, p Parameter, legal map[string]any) {
		for bound, beyond := range map[*float64]float64{p.Min: -1, p.Max: 1} {
			if bound == nil {
				continue
			}
			tried++
			illegal := *bound + beyond
			legal[p.Name] = illegal
			requireIllegal(t, op, legal, fmt.Sprintf("%s is %v (legal: %s)", p.Name, illegal, p.legalRange()))
			params := reflect.New(reflect.TypeOf(op.Params)).Elem()
			params.Set(reflect.ValueOf(op.Samples[0].Params))
			field := params.Field(p.index)
			field.Set(reflect.ValueOf(illegal).Convert(field.Type()))
			require.Contains(t, checkParams(op, params.Interface()), p.legalRange())
			legal[p.Name] = *bound
			_, err := op.ParseParams(legal)
			require.NoError(t, err, "the bound itself is legal")
			if field.Kind() == reflect.Float64 {
				legal[p.Name] = math.NaN()
				requireIllegal(t, op, legal, p.legalRange())
			}
		}
	})
	require.NotZero(t, tried)
}

func TestValuesOutsideAnEnumListTheLegalOnes(t *testing.T) {
	tried := 0
	eachParameter(t, func(t *testing.T, op *Operator, p Parameter, legal map[string]any) {
		for _, word := range p.Enum {
			legal[p.Name] = word
			_, err := op.ParseParams(legal)
			require.NoError(t, err)
			tried++
		}
		if p.Enum != nil {
			legal[p.Name] = "wind"
			requireIllegal(t, op, legal, fmt.Sprintf("%s is %q (legal: %s)", p.Name, "wind", strings.Join(p.Enum, ", ")))
		}
	})
	require.NotZero(t, tried)
}

func TestUnknownNamesListTheKnownOnes(t *testing.T) {
	for _, op := range All() {
		if op.Params == nil {
			requireIllegal(t, op, map[string]any{"axis": 1}, "takes no parameters")
			continue
		}
		known := ""
		for i, p := range op.Parameters() {
			if i > 0 {
				known += ", "
			}
			known += p.Name
		}
		requireIllegal(t, op, map[string]any{"axel": 1}, `unknown parameter "axel" (known: `+known+")")
	}
}

func TestTextOfAnotherTypeIsAnError(t *testing.T) {
	wanted := map[reflect.Kind]string{
		reflect.Bool: "is not true or false", reflect.Int: "is not an integer", reflect.Uint64: "is not an integer that is not negative",
		reflect.Float64: "is not a number", reflect.Slice: "", reflect.Uint8: "unknown dtype",
	}
	eachParameter(t, func(t *testing.T, op *Operator, p Parameter, legal map[string]any) {
		field := reflect.TypeOf(op.Params).Field(p.index)
		if field.Type.Kind() == reflect.String {
			return
		}
		text, known := wanted[field.Type.Kind()]
		require.True(t, known, "%v", field.Type)
		legal[p.Name] = "x1"
		requireIllegal(t, op, legal, text)
		legal[p.Name] = nil
		requireIllegal(t, op, legal, text)
	})
	requireIllegal(t, Softmax, map[string]any{"axis": 1.5}, `"1.5" is not an integer`)
	requireIllegal(t, Permutation, map[string]any{"count": 1e30}, "is not an integer")
	requireIllegal(t, Sum, map[string]any{"axes": "(0, one)"}, `"one" is not an integer`)
}

// TestParametersAreReadAsWritten spells the parameters of all samples and reads them back.
func TestParametersAreReadAsWritten(t *testing.T) {
	for _, op := range All() {
		for _, s := range op.Samples {
			if op.Params == nil {
				continue
			}
			asIs, asText := map[string]any{}, map[string]any{}
			for _, p := range op.Parameters() {
				value := reflect.ValueOf(s.Params).Field(p.index)
				asIs[p.Name], asText[p.Name] = value.Interface(), fmt.Sprint(value.Interface())
				if kind := value.Type(); kind.Kind() == reflect.Slice && kind.Elem().Kind() == reflect.Struct {
					asText[p.Name] = value.Interface() // spans have no text
				}
				if value.CanFloat() {
					asText[p.Name] = strconv.FormatFloat(value.Float(), 'g', -1, 64)
				}
			}
			parsed, err := op.ParseParams(asIs)
			require.NoError(t, err, op.Name)
			require.Equal(t, s.Params, parsed)
			if parsed, err = op.ParseParams(asText); err != nil {
				require.ErrorContains(t, err, "integer", "%s %+v", op.Name, s.Params)
			}
			require.NoError(t, err)
			require.Equal(t, fmt.Sprint(s.Params), fmt.Sprint(parsed))
		}
	}
}

func TestParametersTakeNumbersOfAnyKind(t *testing.T) {
	for _, axes := range []any{[]int{0, -1}, []int64{0, -1}, []float64{0, -1}, []any{0, "-1"}, "(0, -1)", "[0 -1]", "0,-1"} {
		parsed, err := Sum.ParseParams(map[string]any{"axes": axes, "keep_dims": "true"})
		require.NoError(t, err)
		require.Equal(t, ReduceParams{Axes: []int{0, -1}, KeepDims: true}, parsed)
	}
	for _, count := range []any{1000000, int8(100), uint16(7), 1e6, float32(1 << 20), "12"} {
		_, err := Permutation.ParseParams(map[string]any{"count": count})
		require.NoError(t, err, "%T", count)
	}
	parsed, err := Permutation.ParseParams(map[string]any{"count": 1e6})
	require.NoError(t, err)
	require.Equal(t, PermutationParams{Count: 1000000}, parsed)
}

func TestParametersNotNamedHaveTheirDefaults(t *testing.T) {
	for op, want := range map[*Operator]any{
		Fill: FillParams{DType: dtype.Float32}, Uniform: UniformParams{DType: dtype.Float32, High: 1}, Normal: NormalParams{DType: dtype.Float32, Deviation: 1},
		Softmax: SoftmaxParams{-1}, Take: TakeParams{0, "raise"}, Sum: ReduceParams{}, OneHot: OneHotParams{0, dtype.Float32}, Add: nil,
	} {
		parsed, err := op.ParseParams(nil)
		require.NoError(t, err)
		require.Equal(t, want, parsed)
	}
}

func TestOperatorsRunByName(t *testing.T) {
	env := newEnv(t, "perdevice")
	x := array{dtype.Float64, []int{2, 2}, []float64{1, 2, 3, 4}, nil}.tensor(env)
	y, err := InvokeNamed("sum", map[string]any{"axes": "0"}, x)
	require.NoError(t, err)
	require.Equal(t, []float64{4, 6}, valuesOf(t, y[0]))
	_, err = InvokeNamed("summ", nil, x)
	require.ErrorContains(t, err, "summ: no such operator at params_test.go")
	_, err = InvokeNamed("sum", map[string]any{"axis": 0}, x)
	require.ErrorContains(t, err, "(known: axes, keep_dims)")
}
