package bench

import (
	"context"
	"testing"

	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
)

// contractions are the cases of BenchmarkEinsum.
var contractions = []struct {
	name, equation string
	shapes         [][]int
}{
	{"matmul", "ij,jk->ik", [][]int{{512, 512}, {512, 512}}},
	{"small", "ij,jk->ik", [][]int{{8, 8}, {8, 8}}},
	{"batch", "bij,bjk->bik", [][]int{{32, 128, 128}, {32, 128, 128}}},
	{"attention", "bhqd,bhkd->bhqk", [][]int{{4, 8, 128, 64}, {4, 8, 128, 64}}},
	{"transpose", "ij->ji", [][]int{{1024, 1024}}},
	{"trace", "ii->", [][]int{{1024, 1024}}},
	{"dot", "ij,ij->", [][]int{{1024, 1024}, {1024, 1024}}},
	{"rows", "ij,ij->i", [][]int{{4096, 256}, {4096, 256}}},
	{"chain", "ij,jk,kl->il", [][]int{{512, 512}, {512, 512}, {512, 8}}},
}

// BenchmarkEinsum measures contractions of float32 arrays, as BenchmarkEinsum/<case>, and the matrix product that matmul, batch and
// attention are, as BenchmarkEinsum/<case>/matmul.
func BenchmarkEinsum(b *testing.B) {
	env := newEnv(b, "perdevice")
	for _, c := range contractions {
		operands := []*nd.Array{}
		for _, shape := range c.shapes {
			operands = append(operands, nd.OnesIn(env, dtype.Float32, shape...))
		}
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := nd.Einsum(c.equation, operands...).Wait(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
		if len(operands) != 2 || c.name == "dot" || c.name == "rows" {
			continue
		}
		if c.name == "attention" {
			operands[1] = operands[1].Transpose(0, 1, 3, 2)
		}
		b.Run(c.name+"/matmul", func(b *testing.B) {
			for b.Loop() {
				if err := operands[0].MatMul(operands[1]).Wait(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkEinsumPeers measures the quicker of numpy.einsum with and without its paths, and PyTorch, on the cases of BenchmarkEinsum, as
// BenchmarkEinsumPeers/<case>/<library>.
func BenchmarkEinsumPeers(b *testing.B) {
	for _, c := range contractions {
		for _, library := range []pythonLibrary{numpy, torch} {
			b.Run(c.name+"/"+library.name, func(b *testing.B) { library.measure(b, "contraction", c.name) })
		}
	}
}
