package calculus

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/kernels/cpu/internal/levelstest"
)

// powers are bases and exponents, among them all pairs of special numbers.
func powers[T dtype.Float]() (x, y []T) {
	special := []float64{
		0, 5e-324, 1e-310, 1e-45, 1e-39, 0.3, 0.5, 0.99999, 1, 1.00001, 2, 3, 7.5, 1023, 1024, 1075, 1 << 53, 1e19, 1e-19, math.MaxFloat32, 1e300, math.MaxFloat64,
		math.Inf(1),
	}
	for _, a := range special {
		for _, b := range special {
			for sign := range 4 {
				x = append(x, T(math.Copysign(a, 0.5-float64(sign&1))))
				y = append(y, T(math.Copysign(b, 1-float64(sign&2))))
			}
		}
	}
	x, y = append(x, T(math.NaN()), 1, T(math.NaN()), 2), append(y, 0, T(math.NaN()), 2, T(math.NaN()))
	r := random()
	for range 20_000 {
		base := ExpFloat64((r.Float64() - 0.5) * math.Ldexp(20, -r.IntN(20)))
		limit := 735 / math.Abs(LogFloat64(base))
		x, y = append(x, T(base)), append(y, T((r.Float64()-0.5)*limit*math.Ldexp(2, -r.IntN(8))))
	}
	return x, y
}

// TestPowIsThatOfPackageMath tells whether all cases are treated; package math itself errs by many units.
func TestPowIsThatOfPackageMath(t *testing.T) {
	x, y := powers[float32]()
	for i := range x {
		want := math.Pow(float64(x[i]), float64(y[i]))
		if math.Abs(want) > math.MaxFloat32*(1+0x1p-25) {
			want = math.Copysign(math.Inf(1), want)
		}
		got := float64(PowFloat32(x[i], y[i]))
		apart := unitsApart(got, want, 24, -149)
		require.LessOrEqual(t, apart, 0.501, "%v to the power of %v: got %v, want %v", x[i], y[i], got, want)
	}
	a, b := powers[float64]()
	for i := range a {
		want, got := math.Pow(a[i], b[i]), PowFloat64(a[i], b[i])
		if a[i] > 0 && a[i] < 0x1p-1022 && math.Abs(b[i]) < 10 { // package math is wrong there
			want = math.Pow(a[i]*0x1p54, b[i]) * math.Pow(2, -54*b[i])
		}
		apart := unitsApart(got, want, 53, -1074)
		bound := 2.0 // and what the squarings of package math err by, and its logarithm
		if errs := 2*math.Abs(b[i]) + math.Abs(LogFloat64(math.Abs(a[i]))); errs <= math.MaxFloat64 {
			bound += errs
		}
		require.LessOrEqual(t, apart, bound, "%v to the power of %v: got %v, want %v", a[i], b[i], got, want)
		if want == 0 {
			require.Equal(t, math.Signbit(want), math.Signbit(got), "%v to the power of %v", a[i], b[i])
		}
	}
}

// TestPowersInTheMiddleRoundToEven has squares and cubes whose last digit single precision has not, and the least power of two that is zero.
func TestPowersInTheMiddleRoundToEven(t *testing.T) {
	x, y, want := []float32{2, 0.5, 4, 2}, []float32{-150, 150, -75, -149}, []float32{0, 0, 0, math.SmallestNonzeroFloat32}
	for base := 4097; base < 9001; base += 2 {
		x, y, want = append(x, float32(base), -float32(base)), append(y, 2, 2), append(want, float32(base*base), float32(base*base))
		x, y, want = append(x, float32(base%512)), append(y, 3), append(want, float32(base%512*(base%512)*(base%512)))
	}
	pow := Pow.Float32
	features.Each(func(level features.Level) {
		got := make([]float32, len(x))
		pow(got, x, y)
		require.Equal(t, want, got, level)
	})
}

// TestPowGivesExactValues compares with results computed with 80 digits.
func TestPowGivesExactValues(t *testing.T) {
	for _, c := range [][3]float64{
		{5e-324, 0.3, 1.018908996936868e-97}, {1e-310, -0.7, 9.999999999999704e+216}, {1.1, 7000.25, 5.743072236277597e+289},
		{0.9, -6000.5, 3.696767260707972e+274}, {1.0000001, 6900000000.0, 4.604449403599284e+299}, {2.5, 700.123, 4.045318228921371e+278},
		{1e+300, -1.0333, 1.0232929922807e-310}, {3.7, -250.99, 2.438087435783859e-143}, {0.75, 2.5, 0.48713928962874675},
		{10, -307.9, 1.258925411794233e-308}, {1.7976931348623157e+308, 0.99, 1.4865119482528833e+305}, {1.4142135, 1999.9, 1.0349178020363504e+301},
		{0.70710677, 2000.1, 9.01444709686432e-302}, {123.456, -3.25, 1.594356162369407e-07}, {0.99996, -1697711.0, 3.1106462693719016e+29},
		{1.8749866, 30.86839, 267309213.57165113}, {0.9630972, -1506.399, 3.9747931764046693e+24}, {1.0000062, -2803298.0, 2.8300291810545146e-08},
		{0.7152683, 201.8168, 4.259855141701979e-30}, {3.3409636, -415.07, 3.60209546184204e-218}, {0.0187859, 29.91765, 2.275674380006249e-52},
		{0.9998669, 295594.8, 8.168172833264464e-18}, {0.9999919, -5025106.0, 4.756808063295371e+17}, {2.5783938, -90.03783, 9.183459599628721e-38},
		{0.9993092, 148359.9, 2.9858812742329895e-45}, {0.999615, 35322.23, 1.2384164624581915e-06}, {1.0016468, 162578.3, 1.5126502598730572e+116},
		{1.0000135, 9324956.0, 4.694826934809206e+54}, {1.0038867, 176071.4, 4.24207720798663e+296}, {1.0691006, 731.3724, 1.6725672360510053e+21},
		{0.3412251, -3.075892, 27.309612982380855}, {0.1277845, -31.98709, 3.812088179030257e+28}, {0.9988291, 337255.7, 2.5107118255853402e-172},
		{0.9999826, 2762927.0, 1.321726578998151e-21}, {1.0042755, 4380.266, 130633417.63385509}, {1.0556996, -5161.735, 3.0968156085034037e-122},
		{0.9999402, -5759650.0, 3.865882256525763e+149}, {1.0185857, 4409.064, 1.8273388875326356e+35}, {1.0037125, -36926.17, 3.745449898380318e-60},
		{1.0019386, -11693.44, 1.4606663807659633e-10}, {1.0000054, 49264420.0, 3.420764401146621e+115}, {1.0000366, -4592817.0, 9.94699786197332e-74},
		{1.001066, 164806.8, 1.8112344471774454e+76}, {2.6342785, 109.4205, 1.0690848109553483e+46}, {0.9999816, 3563245.0, 3.355686949478075e-29},
		{0.9914446, -1443.513, 243522.16748720047}, {1.0085412, 41142.07, 9.20815874032654e+151}, {5.9747313, 95.25095, 8.811768293438509e+73},
		{1.0050113, 6813.038, 617631871360560.4}, {0.8174121, -341.4656, 7.913438469594656e+29}, {1.0272266, -1365.312, 1.1801017184802166e-16},
		{0.0003697, 43.84009, 3.421456474613829e-151}, {0.9707513, 1903.095, 2.919192561511719e-25}, {0.8493231, 1602.747, 2.098269872067133e-114},
	} {
		got := PowFloat64(c[0], c[1])
		require.LessOrEqual(t, unitsApart(got, c[2], 53, -1074), 1.0, "%v to the power of %v: got %v, want %v", c[0], c[1], got, c[2])
	}
}

// TestPowOfFloat64ErrsLittleMoreThanByRounding compares with numbers of 200 bits, among them the largest exponents.
func TestPowOfFloat64ErrsLittleMoreThanByRounding(t *testing.T) {
	r := random()
	for i := range 30_000 / thinned(10) {
		x := ExpFloat64(r.NormFloat64())
		if i%2 == 0 {
			x = 1 + r.NormFloat64()*math.Ldexp(0.03, -r.IntN(20))
		}
		y := 4 * r.NormFloat64()
		if i%3 > 0 {
			y = (r.Float64() - 0.5) * 1416 / LogFloat64(x)
		}
		got := PowFloat64(x, y)
		exponent := exactLog(x)
		want := exactExp(exponent.Mul(exponent, big.NewFloat(y)))
		away, _ := new(big.Float).Sub(want, big.NewFloat(got)).Float64()
		unit := math.Nextafter(got, math.Inf(1)) - got
		require.LessOrEqual(t, math.Abs(away)/unit, 0.54, "%v to the power of %v: got %v, want %v", x, y, got, want)
	}
}

const exactBits = 200

// inverseHyperbolicTangent is the sum of x + x³/3 + x⁵/5 and so on.
func inverseHyperbolicTangent(x *big.Float) *big.Float {
	sum, power, square := new(big.Float).Copy(x), new(big.Float).Copy(x), new(big.Float).Mul(x, x)
	for i := int64(3); power.Sign() != 0 && power.MantExp(nil) > -exactBits; i += 2 {
		power.Mul(power, square)
		sum.Add(sum, new(big.Float).Quo(power, new(big.Float).SetInt64(i)))
	}
	return sum
}

// logOfTwo is 2 atanh(1/3).
func logOfTwo() *big.Float {
	third := new(big.Float).SetPrec(exactBits).SetInt64(1)
	sum := inverseHyperbolicTangent(third.Quo(third, big.NewFloat(3)))
	return sum.Add(sum, sum)
}

// exactLog is k log 2 + 2 atanh((m−1)/(m+1)) for x = 2^k m.
func exactLog(x float64) *big.Float {
	m, k := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, k = 2*m, k-1
	}
	one, fraction := big.NewFloat(1), new(big.Float).SetPrec(exactBits).SetFloat64(m)
	above := new(big.Float).Add(fraction, one)
	sum := inverseHyperbolicTangent(fraction.Quo(fraction.Sub(fraction, one), above))
	sum.Add(sum, sum)
	return sum.Add(sum, new(big.Float).Mul(logOfTwo(), big.NewFloat(float64(k))))
}

// exactExp is the power 2^(k+8) of the sum of r^i/i! for x = k log 2 + 2^8 r.
func exactExp(x *big.Float) *big.Float {
	const squarings = 8
	log2 := logOfTwo()
	near, _ := x.Float64()
	k := math.Round(near / math.Ln2)
	r := new(big.Float).Sub(x, log2.Mul(log2, big.NewFloat(k)))
	r.SetMantExp(r, -squarings)
	sum, term := new(big.Float).SetPrec(exactBits).SetInt64(1), new(big.Float).SetPrec(exactBits).SetInt64(1)
	for i := int64(1); i < 30; i++ {
		term.Quo(term.Mul(term, r), new(big.Float).SetInt64(i))
		sum.Add(sum, term)
	}
	for range squarings {
		sum.Mul(sum, sum)
	}
	return sum.SetMantExp(sum, int(k))
}

// TestPowersOfFloat32AreRoundedOnesOfFloat64 is for all levels: what they compute has fewer digits, and is left to the function for
// float64 where these do not tell the rounded result.
func TestPowersOfFloat32AreRoundedOnesOfFloat64(t *testing.T) {
	x, y := powers[float32]()
	r := random()
	for i := range 1_000_000 / thinned(10) {
		base := math.Float32frombits(r.Uint32N(math.Float32bits(float32(math.Inf(1)))))
		switch i % 4 {
		case 0:
			base = 1 + float32(r.NormFloat64()*math.Ldexp(1, -r.IntN(24)))
		case 1:
			base = float32(r.IntN(10_000)) / 8
		}
		exponent := float32((r.Float64() - 0.5) * 310 / math.Log2(float64(base)))
		if i%8 == 0 {
			exponent = float32(r.IntN(40)-20) / 4
		}
		x, y = append(x, base), append(y, exponent)
	}
	want, got := make([]float32, len(x)), make([]float32, len(x))
	for i := range x {
		want[i] = float32(PowFloat64(float64(x[i]), float64(y[i])))
	}
	canonical(want)
	pow := Pow.Float32
	features.Each(func(level features.Level) {
		pow(got, x, y)
		canonical(got)
		if levelstest.SumOfBits(want) != levelstest.SumOfBits(got) {
			for i := range x {
				require.Equal(t, math.Float32bits(want[i]), math.Float32bits(got[i]), "%v: %v to the power of %v", level, x[i], y[i])
			}
		}
	})
}

// TestInverseRootsAndSquaresOfFloat64AreRounded compares powers with exponents −½ and −2 with numbers of 200 bits.
func TestInverseRootsAndSquaresOfFloat64AreRounded(t *testing.T) {
	r := random()
	one := big.NewFloat(1).SetPrec(200)
	for range 20_000 {
		power := 2*r.IntN(1022) - 1022
		x := (1 + 3*r.Float64()) * math.Ldexp(1, power)
		wide := new(big.Float).SetPrec(200).SetFloat64(x)
		root := new(big.Float).SetPrec(200).Sqrt(wide)
		for exponent, want := range map[float64]*big.Float{-0.5: root.Quo(one, root), -2: wide.Quo(one, wide.Mul(wide, wide))} {
			if exponent == -2 && (power < -510 || power > 508) {
				continue // The result is no normal number.
			}
			got := PowFloat64(x, exponent)
			away, _ := new(big.Float).Sub(want, new(big.Float).SetFloat64(got)).Float64()
			unit := math.Nextafter(got, math.Inf(1)) - got
			require.LessOrEqual(t, math.Abs(away)/unit, 0.501, "%v to the power of %v: got %v", x, exponent, got)
		}
	}
	require.Equal(t, 0.01, PowFloat64(10, -2))
}

// TestPowersOfOneExponentAreThoseOfManyForAllSignificands is for float32, whose loops for one exponent compute otherwise than the general one.
func TestPowersOfOneExponentAreThoseOfManyForAllSignificands(t *testing.T) {
	const block = 1 << 16
	x, y, got, want := make([]float32, block), make([]float32, block), make([]float32, block), make([]float32, block)
	pow := Pow.Float32
	for exponent, loop := range map[float32]func(dst, x []float32){
		3: Cube.Float32, 0.5: HalfPower.Float32,
		-0.5: InverseHalfPower.Float32, -2: InverseSquare.Float32,
	} {
		for i := range y {
			y[i] = exponent
		}
		step := 1
		if testing.Short() {
			step = 61
		}
		compare := func(number func(i int) float32) {
			for i := range x {
				x[i] = number(i)
			}
			pow(want, x, y)
			loop(got, x)
			canonical(want)
			canonical(got)
			if levelstest.SumOfBits(want) != levelstest.SumOfBits(got) {
				for i := range x {
					require.Equal(t, math.Float32bits(want[i]), math.Float32bits(got[i]), "%v to the power of %v", x[i], exponent)
				}
			}
		}
		for part := 0; part < 1<<24/block; part += step { // from 1 to 4
			compare(func(i int) float32 { return math.Float32frombits(math.Float32bits(1) + uint32(part*block+i)) })
		}
		compare(func(i int) float32 { return math.Float32frombits(uint32(i*(1<<32/block) + i)) }) // of all exponents and signs
	}
}

func TestPowHasEqualBitsAtAllLevelsAndEverywhere(t *testing.T) {
	sums := [2]string{checkPairs(t, Pow.Float32), checkPairs(t, Pow.Float64)}
	require.Equal(t, [2]string{"0xe23e95e37c3f6d86", "0x6dd8b3f0d70096e6"}, sums)
}

// checkPairs tells whether all levels give the same bits for many pairs, in place and of any number, and returns their sum.
func checkPairs[T dtype.Float](t *testing.T, compute func(dst, x, y []T)) (sum string) {
	t.Helper()
	x, y := powers[T]()
	levelstest.RequireEqual(t, len(x), func(dst []T) {
		copy(dst, x)
		compute(dst, dst, y)
		canonical(dst)
		sum = levelstest.SumOfBits(dst)
	}, "in place")
	for count := range 301 {
		if testing.Short() && count > 40 && count%17 > 1 {
			continue
		}
		levelstest.RequireEqual(t, count, func(dst []T) {
			compute(dst, x[count*37:][:count], y[count*37:])
			canonical(dst)
		}, fmt.Sprint(count))
	}
	return sum
}
