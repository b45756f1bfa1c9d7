package bench

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/random"
)

// arrayPrograms are whole computations as users of arrays write them, with all their temporary arrays.
var arrayPrograms = []struct {
	name string
	run  func(env *nd.Env) *nd.Array
}{
	{"heat", heatEquation},
	{"kmeans", meansOfClusters},
	{"life", gameOfLife},
	{"options", blackScholes},
	{"nbody", gravity},
	{"mandelbrot", mandelbrot},
}

// BenchmarkProgram measures programs of many operators, as BenchmarkProgram/<program>.
func BenchmarkProgram(b *testing.B) {
	env := nd.DefaultEnv()
	for _, p := range arrayPrograms {
		b.Run(p.name, func(b *testing.B) {
			for b.Loop() {
				require.NoError(b, p.run(env).Wait(context.Background()))
			}
		})
	}
}

// BenchmarkProgramPeers measures the same programs, line by line, as BenchmarkProgramPeers/<program>/<library>.
func BenchmarkProgramPeers(b *testing.B) {
	for _, p := range arrayPrograms {
		for _, library := range []pythonLibrary{numpy, torch} {
			b.Run(p.name+"/"+library.name, func(b *testing.B) { library.measure(b, "programs", p.name) })
		}
	}
}

// heatEquation lets heat flow in from the first row of a plate of 512 by 512 points, for 50 steps.
func heatEquation(env *nd.Env) *nd.Array {
	u := nd.ZerosIn(env, dtype.Float64, 512, 512)
	u.SetSlice(nd.OnesIn(env, dtype.Float64), "0")
	inner := u.Index("1:-1, 1:-1")
	for range 50 {
		flow := u.Index("2:, 1:-1").Add(u.Index(":-2, 1:-1")).Add(u.Index("1:-1, 2:")).Add(u.Index("1:-1, :-2")).Sub(inner.MulScalar(4))
		nd.AddInto(inner, inner, flow.MulScalar(0.2))
	}
	return u
}

// meansOfClusters moves 20 centres to the means of the nearest of 20,000 points in 16 dimensions, five times.
func meansOfClusters(env *nd.Env) *nd.Array {
	const centres = 20
	points := random.Normal(env, dtype.Float64, 0, 1, 20_000, 16)
	means := points.Index(":20")
	for range 5 {
		distances := points.Index(":, None").Sub(means.Index("None")).Square().Sum(2)
		members := distances.ArgMin(1).OneHot(centres, dtype.Float64)
		means = members.T().MatMul(points).Div(members.Sum(0).Index(":, None"))
	}
	return means
}

// gameOfLife makes 20 generations of 512 by 512 cells.
func gameOfLife(env *nd.Env) *nd.Array {
	world := random.Uniform(env, dtype.Float32, 0, 1, 512, 512).LessScalar(0.3).Cast(dtype.Int8)
	for range 20 {
		columns := world.Roll(-1, 0).Add(world).Add(world.Roll(1, 0))
		neighbours := columns.Roll(-1, 1).Add(columns).Add(columns.Roll(1, 1)).Sub(world)
		survives := world.EqualScalar(1).LogicalAnd(neighbours.EqualScalar(2))
		world = survives.LogicalOr(neighbours.EqualScalar(3)).Cast(dtype.Int8)
	}
	return world
}

// blackScholes prices 1,000,000 European calls.
func blackScholes(*nd.Env) *nd.Array {
	const strike, rate, volatility, years = 100.0, 0.03, 0.2, 1.0
	spot := nd.Linspace[float64](50, 150, 1_000_000)
	normal := func(x *nd.Array) *nd.Array { return x.DivScalar(math.Sqrt2).Erf().AddScalar(1).MulScalar(0.5) }
	d1 := spot.DivScalar(strike).Log().AddScalar((rate + volatility*volatility/2) * years).DivScalar(volatility * math.Sqrt(years))
	d2 := d1.SubScalar(volatility * math.Sqrt(years))
	return spot.Mul(normal(d1)).Sub(normal(d2).MulScalar(strike * math.Exp(-rate*years)))
}

// gravity moves 400 bodies that attract each other, for 5 steps.
func gravity(env *nd.Env) *nd.Array {
	const bodies, step = 400, 0.01
	places := random.Normal(env, dtype.Float64, 0, 1, bodies, 3)
	speeds := nd.ZerosIn(env, dtype.Float64, bodies, 3)
	for range 5 {
		apart := places.Index("None").Sub(places.Index(":, None"))
		strength := apart.Square().Sum(2).AddScalar(0.01).PowScalar(-1.5)
		pull := apart.Mul(strength.Index("..., None")).Sum(1).DivScalar(bodies)
		speeds = speeds.Add(pull.MulScalar(step))
		places = places.Add(speeds.MulScalar(step))
	}
	return places
}

// mandelbrot counts the steps, of 20, for which 300 by 400 points stay near.
func mandelbrot(env *nd.Env) *nd.Array {
	re, im := nd.Linspace[float64](-2, 0.6, 400), nd.Linspace[float64](-1.2, 1.2, 300)
	c := nd.Complex(re, im.Index(":, None"))
	z, count := nd.ZerosLike(c), nd.ZerosIn(env, dtype.Int64, 300, 400)
	far := nd.FullIn(env, dtype.Complex128, 2)
	for range 20 {
		z = z.Square().Add(c)
		near := z.Abs().LessScalar(2)
		count = count.Add(near.Cast(dtype.Int64))
		z = nd.Where(near, z, far)
	}
	return count
}
