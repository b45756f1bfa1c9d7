package bench

import (
	"context"
	"testing"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/ops"
)

// BenchmarkRandom measures operators that make 10,000,000 random numbers, beside a plain fill of as much memory.
func BenchmarkRandom(b *testing.B) {
	const count = 10_000_000
	shape := []int{count}
	for _, c := range []struct {
		name   string
		op     *ops.Operator
		params any
	}{
		{"fill/float32", ops.Fill, ops.FillParams{Shape: shape, DType: dtype.Float32, Value: 1.5}},
		{"uniform/float32", ops.Uniform, ops.UniformParams{Shape: shape, DType: dtype.Float32, High: 1}},
		{"normal/float32", ops.Normal, ops.NormalParams{Shape: shape, DType: dtype.Float32, Deviation: 1}},
		{"fill/float64", ops.Fill, ops.FillParams{Shape: shape, DType: dtype.Float64, Value: 1.5}},
		{"uniform/float64", ops.Uniform, ops.UniformParams{Shape: shape, DType: dtype.Float64, High: 1}},
		{"normal/float64", ops.Normal, ops.NormalParams{Shape: shape, DType: dtype.Float64, Deviation: 1}},
	} {
		b.Run(c.name, func(b *testing.B) {
			env := newEnv(b, "perdevice")
			for b.Loop() {
				made := ops.InvokeIn(env, c.op, c.params)[0]
				if err := made.Wait(context.Background()); err != nil {
					b.Fatal(err)
				}
				made.Release()
			}
			b.ReportMetric(count*float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
		})
	}
}

// BenchmarkDistributions makes 1,000,000 numbers of every distribution that has a shape, with its default parameters, as
// BenchmarkDistributions/<operator>.
func BenchmarkDistributions(b *testing.B) {
	const count = 1_000_000
	for _, op := range ops.All() {
		if !op.Draws || len(op.Inputs) > 0 {
			continue
		}
		params, err := op.ParseParams(map[string]any{"shape": []int{count}})
		if err != nil {
			continue // It has no shape, or a parameter without a default.
		}
		b.Run(op.Name, func(b *testing.B) {
			env := newEnv(b, "perdevice")
			for b.Loop() {
				made := ops.InvokeIn(env, op, params)[0]
				if err := made.Wait(context.Background()); err != nil {
					b.Fatal(err)
				}
				made.Release()
			}
			b.ReportMetric(count*float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
		})
	}
}
