package distribution

import (
	"math"

	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// normal32 makes normal numbers of the given mean and standard deviation, rounded to float32 as all the arithmetic is, from
// the words of each pair of elements.
func normal32(dst []float32, s Source, first uint64, parameters []float64) {
	for x := range filled(dst, s, first) {
		toNormal32(x, float32(parameters[0]), float32(parameters[1]))
	}
}

// toNormal32 turns the words in x into numbers.
func toNormal32(x []float32, mean, deviation float32) {
	if features.Best > features.Portable {
		fastNormal32(x, mean, deviation)
		return
	}
	words := wordsOf(x)
	for i := 0; i < len(x); i += 2 {
		a, b := boxMuller32(words[i], words[i+1])
		x[i], x[i+1] = mean+float32(a*deviation), mean+float32(b*deviation)
	}
}

// boxMuller32 turns two uniform words into two independent standard normal numbers, with radius sqrt(-2 ln((a+1/2) 2^-32))
// and angle 2π b 2^-32. The radius is at most 6.77, which a normal number exceeds once in 10^11. Like that of boxMuller, its
// arithmetic is the same on every processor. The error is a few units in the last place of the radius.
func boxMuller32(a, b uint32) (x, y float32) {
	radius := float32(math.Sqrt(float64(-2 * logarithm32(a))))
	sine, cosine := sineOfTurn32(b)
	return float32(radius * cosine), float32(radius * sine)
}

// logarithm32 returns the logarithm of (word+1/2) 2^-32 by the method and constants of FreeBSD's e_logf.c, as naturalLog.
// As a signed number, word is the distance from 0 or from 2^32, so that next to 1 no digits of the logarithm are lost.
func logarithm32(word uint32) float32 {
	const (
		ln2High = 6.9313812256e-01
		ln2Low  = 9.0580006145e-06
		l1      = 0xaaaaaa.0p-24
		l2      = 0xccce13.0p-25
		l3      = 0x91e9ee.0p-25
		l4      = 0xf89e26.0p-26
	)
	one, root := math.Float32bits(1), math.Float32bits(math.Sqrt2/2)
	distance := float32(float32(float32(int32(word))+0.5) * 0x1p-32)
	x := distance + math.Float32frombits(uint32(int32(word)>>31)&one) // in (0, 1]
	shifted := math.Float32bits(x) + (one - root)
	exponent := int32(shifted>>23) - 127
	f := math.Float32frombits(shifted&(1<<23-1)+root) - 1 // x = 2^exponent (1+f)
	if exponent == 0 {
		f = distance
	}
	k := float32(exponent)
	s := f / (2 + f)
	s2 := float32(s * s)
	s4 := float32(s2 * s2)
	odd := float32(s2 * (float32(l3*s4) + l1))
	even := float32(s4 * (float32(l4*s4) + l2))
	half := float32(float32(0.5*f) * f)
	correction := float32(s*(half+(odd+even))) + float32(k*ln2Low)
	return float32(k*ln2High) - ((half - correction) - f)
}

// sineOfTurn32 returns the sine and cosine of 2π word 2^-32, by the polynomials of Cephes on [-π/4, π/4].
func sineOfTurn32(word uint32) (sine, cosine float32) {
	z := float32(float32(int32(word<<2)>>2) * (math.Pi / 2 * 0x1p-30))
	zz := float32(z * z)
	p := float32(-1.9515295891e-4*zz) + 8.3321608736e-3
	p = float32(p*zz) + -1.6666654611e-1
	q := float32(2.443315711809948e-5*zz) + -1.388731625493765e-3
	q = float32(q*zz) + 4.166664568298827e-2
	sine = z + float32(float32(z*zz)*p)
	cosine = 1 - float32(0.5*zz) + float32(float32(zz*zz)*q)
	const highest = 1 << 31
	quadrant := word + 1<<29 // in the highest two bits
	if quadrant<<1&highest != 0 {
		sine, cosine = cosine, sine
	}
	sine = math.Float32frombits(math.Float32bits(sine) ^ quadrant&highest)
	cosine = math.Float32frombits(math.Float32bits(cosine) ^ (quadrant+1<<30)&highest)
	return sine, cosine
}
