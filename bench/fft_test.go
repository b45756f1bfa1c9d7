package bench

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fft"
	nd "github.com/weft-nd/weft/ndarray"
)

// transformCases are transforms and the shapes of what they transform: lengths with small factors, primes, batches of short lines, and images.
var transformCases = []struct {
	transform string
	shape     []int
}{
	{"fft", []int{1024}}, {"fft", []int{1000}}, {"fft", []int{1009}}, {"fft", []int{4096}}, {"fft", []int{10_007}}, {"fft", []int{1 << 14}},
	{"fft", []int{100_003}}, {"fft", []int{1 << 17}}, {"fft", []int{1 << 20}},
	{"fft", []int{1000, 256}}, {"fft2", []int{512, 512}}, {"ifft", []int{1 << 14}}, {"ifft", []int{1000, 256}}, {"ifft2", []int{512, 512}},
	{"rfft", []int{1024}}, {"rfft", []int{4096}}, {"rfft", []int{1 << 14}}, {"rfft", []int{1 << 20}}, {"rfft", []int{1000, 256}}, {"rfft2", []int{512, 512}},
}

var transforms = map[string]func(*nd.Array, ...fft.Option) *nd.Array{"fft": fft.FFT, "ifft": fft.IFFT, "fft2": fft.FFT2, "ifft2": fft.IFFT2, "rfft": fft.RFFT, "rfft2": fft.RFFT2}

// eachTransform calls body for all cases.
func eachTransform(body func(transform string, shape []int, d dtype.DType, size, name string)) {
	for _, c := range transformCases {
		size := strings.Trim(strings.ReplaceAll(fmt.Sprint(c.shape), " ", "x"), "[]")
		for _, d := range []dtype.DType{dtype.Complex64, dtype.Complex128} {
			body(c.transform, c.shape, d, size, fmt.Sprintf("%s/%s/%v", c.transform, size, d))
		}
	}
}

// noise returns complex128 numbers around 0.
func noise(env *nd.Env, shape []int) *nd.Array {
	r, count := rand.New(rand.NewPCG(1, 2)), 1
	for _, n := range shape {
		count *= n
	}
	values := make([]complex128, count)
	for i := range values {
		values[i] = complex(r.NormFloat64(), r.NormFloat64())
	}
	return nd.FromSliceIn(env, values, shape...)
}

// BenchmarkFFT measures discrete Fourier transforms, each waited for, as BenchmarkFFT/<transform>/<shape>/<dtype>; those of real numbers take the
// parts of the dtype.
func BenchmarkFFT(b *testing.B) {
	eachTransform(func(transform string, shape []int, d dtype.DType, _, name string) {
		b.Run(name, func(b *testing.B) {
			env, compute := newEnv(b, "perdevice"), transforms[transform]
			x := noise(env, shape).Cast(d)
			if transform[0] == 'r' {
				x = x.Real().Copy()
			}
			if err := x.Wait(b.Context()); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				result := compute(x)
				if err := result.Wait(b.Context()); err != nil {
					b.Fatal(err)
				}
				result.Release()
			}
		})
	})
}

// BenchmarkFFTPeers measures NumPy and PyTorch on the cases of BenchmarkFFT, as BenchmarkFFTPeers/<transform>/<shape>/<dtype>/<library>.
func BenchmarkFFTPeers(b *testing.B) {
	eachTransform(func(transform string, _ []int, d dtype.DType, size, name string) {
		for _, library := range []pythonLibrary{numpy, torch} {
			b.Run(name+"/"+library.name, func(b *testing.B) { library.measure(b, "fft", transform, d, size) })
		}
	})
}
