package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	nd "github.com/weft-nd/weft/ndarray"
)

// fileBytes is the size of the files of BenchmarkFile.
const fileBytes = 64 << 20

// BenchmarkFile loads and saves an array of float32, as BenchmarkFile/<case>, beside a copy of the same file through a buffer of 1 MiB.
// Cases with "durable" wait for the disk, as nd.SaveNPY does and numpy.save does not.
func BenchmarkFile(b *testing.B) {
	folder := b.TempDir()
	x := nd.Arange[float32](0, fileBytes/4, 1).Reshape(-1, 1024)
	path, to := filepath.Join(folder, "from.npy"), filepath.Join(folder, "to.npy")
	require.NoError(b, nd.SaveNPY(path, x))
	require.NoError(b, nd.SaveSafetensors(filepath.Join(folder, "a.safetensors"), map[string]*nd.Array{"x": x}, nil))
	for _, c := range []struct {
		name string
		call func() error
	}{
		{"copy", func() error { return copyFile(to, path, false) }},
		{"load", func() error {
			a, err := nd.LoadNPY(path)
			if err == nil {
				a.Release()
			}
			return err
		}},
		{"write", func() error {
			file, err := os.Create(to)
			if err != nil {
				return err
			}
			defer file.Close()
			return nd.WriteNPY(file, x)
		}},
		{"copy-durable", func() error { return copyFile(to, path, true) }},
		{"save-durable", func() error { return nd.SaveNPY(to, x) }},
		{"map-and-sum", func() error {
			arrays, _, err := nd.LoadSafetensors(filepath.Join(folder, "a.safetensors"))
			if err == nil {
				_, err = nd.Item[float32](arrays["x"].Sum())
				arrays["x"].Release()
			}
			return err
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			require.NoError(b, c.call())
			b.SetBytes(fileBytes)
			for b.Loop() {
				require.NoError(b, c.call())
			}
		})
	}
}

func copyFile(to, from string, durable bool) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	file, err := os.Create(to)
	if err != nil {
		return err
	}
	defer file.Close()
	// Hidden behind plain interfaces, so that the kernel does not share the blocks of the two files.
	if _, err := io.CopyBuffer(struct{ io.Writer }{file}, struct{ io.Reader }{source}, make([]byte, 1<<20)); err != nil || !durable {
		return err
	}
	return file.Sync()
}

// BenchmarkFilePeers measures NumPy on cases of BenchmarkFile, as BenchmarkFilePeers/<case>/numpy.
func BenchmarkFilePeers(b *testing.B) {
	folder := b.TempDir()
	for _, name := range []string{"load", "write"} {
		b.Run(name+"/numpy", func(b *testing.B) { numpy.measure(b, "files", name, folder, fileBytes) })
	}
}

// BenchmarkPrint measures the text of arrays that are there: all of a small one, and the edges of a large one and of its transpose.
func BenchmarkPrint(b *testing.B) {
	large := nd.Arange[float64](0, 1<<20, 1).MulScalar(0.1).Reshape(1024, 1024)
	for name, a := range map[string]*nd.Array{"small": large.Index(nd.Span(0, 4), nd.Span(0, 4)).Copy(), "large": large, "transposed": large.T()} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_ = a.String()
			}
		})
	}
}

// BenchmarkPrintPeers measures NumPy on the cases of BenchmarkPrint, as BenchmarkPrintPeers/<case>/numpy.
func BenchmarkPrintPeers(b *testing.B) {
	for _, name := range []string{"small", "large", "transposed"} {
		b.Run(name+"/numpy", func(b *testing.B) { numpy.measure(b, "files", name, "none", fileBytes) })
	}
}

// BenchmarkAt reads elements of an array that is there, one by one.
func BenchmarkAt(b *testing.B) {
	x := nd.Arange[float32](0, 1<<20, 1).Reshape(1024, 1024)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		v, err := nd.At[float32](x, i&1023, 5)
		if err != nil || v != float32((i&1023)*1024+5) {
			b.Fatal(fmt.Errorf("element %d is %v: %w", i, v, err))
		}
		i++
	}
}

// setArrays are arrays whose elements BenchmarkSet sets.
var setArrays = map[string]func() *nd.Array{
	"given": func() *nd.Array { return nd.Ones[float32](1024, 1024) },
	"zeros": func() *nd.Array { return nd.Zeros[float32](1024, 1024) },
}

// BenchmarkSet sets elements of an array one by one, as BenchmarkSet/<what it was>.
func BenchmarkSet(b *testing.B) {
	for name, make := range setArrays {
		b.Run(name, func(b *testing.B) {
			x := make()
			nd.Set(x, float32(1), 0, 0)
			require.NoError(b, x.Wait(context.Background()))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				nd.Set(x, float32(i), i&1023, 5)
			}
			require.NoError(b, x.Wait(context.Background()))
		})
	}
}

// BenchmarkSetPeers measures NumPy on the cases of BenchmarkSet, as BenchmarkSetPeers/<case>/numpy.
func BenchmarkSetPeers(b *testing.B) {
	for name := range setArrays {
		b.Run(name+"/numpy", func(b *testing.B) { numpy.measure(b, "files", "set", "none", fileBytes) })
	}
}

// BenchmarkAtPeers measures NumPy on BenchmarkAt, as BenchmarkAtPeers/numpy.
func BenchmarkAtPeers(b *testing.B) {
	b.Run("numpy", func(b *testing.B) { numpy.measure(b, "files", "at", "none", fileBytes) })
}
