package fft_test

import (
	"fmt"
	"math"

	"github.com/weft-nd/weft/fft"
	nd "github.com/weft-nd/weft/ndarray"
)

func ExampleFFT() {
	x := nd.FromSlice([]complex128{1, 2i, -1, 0})
	fmt.Println(fft.FFT(x))
	fmt.Println(fft.IFFT(fft.FFT(x)))
	// Output:
	// [0.+2.j 4.+0.j 0.-2.j 0.+0.j]
	// [ 1.+0.j  0.+2.j -1.+0.j  0.+0.j]
}

// A signal of 3 and of 10 cycles a second, the second one weaker, measured 64 times a second.
func ExampleRFFT() {
	seconds := nd.Arange(0, 64.0, 1).DivScalar(64)
	wave := func(cycles float64) *nd.Array { return seconds.MulScalar(2 * math.Pi * cycles).Sin() }
	signal := wave(3).Add(wave(10).MulScalar(0.5))

	strength := fft.RFFT(signal, fft.Normed(fft.Forward)).Abs().MulScalar(2)
	_, strongest := strength.TopK(2, 0)
	fmt.Println(fft.RealFrequencies(64, 1.0/64).Take(strongest, 0))
	fmt.Printf("%.2f\n", strength.Take(strongest, 0))
	// Output:
	// [ 3. 10.]
	// [1.00 0.50]
}

// Products of transforms are transforms of convolutions.
func ExampleIRFFT() {
	x, y := nd.FromSlice([]float64{1, 2, 3}), nd.FromSlice([]float64{1, 10, 100})
	n := fft.Lengths(5)
	product := fft.RFFT(x, n).Mul(fft.RFFT(y, n))
	fmt.Printf("%.0f\n", fft.IRFFT(product, n))
	// Output: [  1  12 123 230 300]
}

// A signal that is its mirror image, but for the sign of imaginary parts, has a transform of real numbers.
func ExampleHFFT() {
	half := nd.FromSlice([]complex128{1, 2i, 3})
	fmt.Println(fft.HFFT(half))
	fmt.Println(fft.IHFFT(fft.HFFT(half)))
	// Output:
	// [ 4.  2.  4. -6.]
	// [1.+0.j 0.+2.j 3.+0.j]
}

func ExampleFrequencies() {
	fmt.Println(fft.Frequencies(5, 0.2))
	fmt.Println(fft.Frequencies(4, 0.25), fft.RealFrequencies(4, 0.25))
	// Output:
	// [ 0.  1.  2. -2. -1.]
	// [ 0.  1. -2. -1.] [0. 1. 2.]
}

func ExampleShift() {
	shifted := fft.Shift(fft.Frequencies(5, 0.2))
	fmt.Println(shifted, fft.InverseShift(shifted))
	// Output: [-2. -1.  0.  1.  2.] [ 0.  1.  2. -2. -1.]
}

func ExampleAlong() {
	x := nd.Ones[float64](3, 4, 5)
	fmt.Println(fft.FFT(x, fft.Along(0), fft.Lengths(8)).Shape())
	fmt.Println(fft.RFFT2(x, fft.Along(0, 1)).Shape())
	fmt.Println(fft.RFFTN(x, fft.Normed(fft.Ortho)).Shape())
	// Output:
	// [8 4 5]
	// [3 3 5]
	// [3 4 3]
}

// A tone of 5.5 cycles leaks into all frequencies unless the ends of the part that is transformed are faded.
func ExampleHann() {
	signal := nd.Arange(0, 64.0, 1).MulScalar(2 * math.Pi * 5.5 / 64).Sin()
	for _, part := range []*nd.Array{signal, signal.Mul(fft.Hann(64))} {
		fmt.Printf("%.2f\n", fft.RFFT(part).Abs().Index(nd.SpanBy(5, 32, 8)))
	}
	// Output:
	// [21.25  0.91  0.39  0.28]
	// [13.43  0.01  0.00  0.00]
}
