package bench

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
)

// movements are copies of float32 elements of the given shape with their axes permuted.
var movements = []struct {
	name  string
	shape []int
	axes  []int
}{
	{"copy", []int{4096, 4096}, []int{0, 1}},
	{"4096", []int{4096, 4096}, []int{1, 0}},
	{"nchw2nhwc", []int{32, 64, 56, 56}, []int{0, 2, 3, 1}},
	{"nhwc2nchw", []int{32, 56, 56, 64}, []int{0, 3, 1, 2}},
	{"heads", []int{16, 512, 12, 64}, []int{0, 2, 1, 3}},
	{"odd", []int{4001, 4003}, []int{1, 0}},
	{"512", []int{512, 512}, []int{1, 0}},
	{"hwc2chw", []int{224, 224, 3}, []int{2, 0, 1}},
	{"chw2hwc", []int{3, 224, 224}, []int{1, 2, 0}},
}

// BenchmarkTranspose measures copies of permuted float32 arrays into memory that is there already and has been written
// before, as BenchmarkTranspose/<case>; copy is one without a permutation. Reading and writing count in GB/s.
func BenchmarkTranspose(b *testing.B) {
	env := newEnv(b, "perdevice")
	for _, m := range movements {
		b.Run(m.name, func(b *testing.B) {
			x := nd.OnesIn(env, dtype.Float32, m.shape...).Transpose(m.axes...)
			y := x.Copy()
			require.NoError(b, y.Wait(context.Background()))
			for b.Loop() {
				nd.CopyInto(y, x)
				if err := y.Wait(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
			reportMoved(b, 2*4*x.Count(), float64(b.Elapsed().Nanoseconds())/float64(b.N))
		})
	}
}

// BenchmarkTransposePeers measures NumPy (copyto) and PyTorch (copy_, two threads) on the cases of BenchmarkTranspose, as
// BenchmarkTransposePeers/<case>/<library>. They copy into memory that is there already, too.
func BenchmarkTransposePeers(b *testing.B) {
	for _, m := range movements {
		count := 1
		for _, n := range m.shape {
			count *= n
		}
		for _, library := range []pythonLibrary{numpy, torch} {
			b.Run(m.name+"/"+library.name, func(b *testing.B) {
				reportMoved(b, 2*4*count, library.measure(b, "transpose", spelled(m.shape), spelled(m.axes)))
			})
		}
	}
}

// spelled returns numbers with commas between them.
func spelled(numbers []int) string {
	text := ""
	for i, n := range numbers {
		if i > 0 {
			text += ","
		}
		text += strconv.Itoa(n)
	}
	return text
}

// reportMoved tells how many bytes an operation moves in a second.
func reportMoved(b *testing.B, bytes int, nanoseconds float64) {
	b.ReportMetric(float64(bytes)/nanoseconds, "GB/s")
}
