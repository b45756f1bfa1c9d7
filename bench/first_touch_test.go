package bench

import (
	"errors"
	"testing"

	"github.com/weft-nd/weft/storage"
)

// BenchmarkFirstTouch takes 256 MiB from the system, writes a byte to every page, and gives them back, as BenchmarkFirstTouch/weft
// beside calloc of C.
func BenchmarkFirstTouch(b *testing.B) {
	const bytes = 256 << 20
	b.Run("weft", func(b *testing.B) {
		m := managerOf(b, storage.NewBestFit)
		for b.Loop() {
			memory, err := m.Allocate(bytes)
			if err != nil {
				b.Fatal(err)
			}
			for data := memory.Pointer.Bytes(bytes); len(data) > 0; data = data[4096:] {
				data[0] = 1
			}
			m.Free(memory)
			m.Trim()
		}
	})
	b.Run("calloc", func(b *testing.B) {
		peer := program{name: "calloc", source: "calloc.cpp"}
		binary, err := peer.build(b.TempDir())
		if errors.As(err, new(missing)) {
			b.Skip(err)
		}
		if err != nil {
			b.Fatal(err)
		}
		b.ResetTimer()
		peer.run(b, binary, "firsttouch")
	})
}
