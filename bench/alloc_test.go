package bench

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/weft-nd/weft/device"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/storage"
)

// managers are those of host memory.
var managers = []struct {
	name string
	make func(device.Device) (storage.Manager, error)
}{
	{"bestfit", storage.NewBestFit}, {"multiple", storage.NewRoundMultiple}, {"power2", storage.NewRoundPower2}, {"naive", storage.NewNaive},
}

// allocationSizes are those of BenchmarkAlloc.
var allocationSizes = []int{4 << 10, 64 << 10, 1 << 20, 8 << 20, 64 << 20}

func managerOf(b *testing.B, make func(device.Device) (storage.Manager, error)) storage.Manager {
	m, err := make(device.CPU(0))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(m.Trim)
	return m
}

// allocateAndFree is one use of a manager.
func allocateAndFree(b *testing.B, m storage.Manager, bytes int) {
	memory, err := m.Allocate(bytes)
	if err != nil {
		b.Error(err)
	}
	m.Free(memory)
}

// BenchmarkAlloc allocates and frees from a warm pool, as BenchmarkAlloc/<size>/<manager>, beside make of Go; with the suffix
// "-2workers" by two goroutines at once.
func BenchmarkAlloc(b *testing.B) {
	for _, bytes := range allocationSizes {
		for _, m := range managers {
			b.Run(fmt.Sprintf("%dKiB/%s", bytes>>10, m.name), func(b *testing.B) {
				manager := managerOf(b, m.make)
				allocateAndFree(b, manager, bytes)
				b.ReportAllocs()
				for b.Loop() {
					allocateAndFree(b, manager, bytes)
				}
			})
			b.Run(fmt.Sprintf("%dKiB/%s-2workers", bytes>>10, m.name), func(b *testing.B) {
				manager := managerOf(b, m.make)
				var both sync.WaitGroup
				for worker := range 2 {
					both.Go(func() {
						for range (b.N + worker) / 2 {
							allocateAndFree(b, manager, bytes)
						}
					})
				}
				both.Wait()
			})
		}
		b.Run(fmt.Sprintf("%dKiB/make", bytes>>10), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				made = make([]float32, bytes/4)
			}
		})
	}
}

// made keeps the compiler from leaving make out.
var made []float32

// BenchmarkFragmentation holds at most 1 GiB in allocations of sizes log-uniform from 1 KiB to 64 MiB, 100,000 of them, and
// reports the largest footprint over the largest live set, as asked for.
func BenchmarkFragmentation(b *testing.B) {
	for _, m := range managers {
		b.Run(m.name, func(b *testing.B) {
			for b.Loop() {
				b.ReportMetric(fragmentation(b, managerOf(b, m.make)), "x-of-live")
			}
		})
	}
}

func fragmentation(b *testing.B, m storage.Manager) float64 {
	const most = 1 << 30
	r := rand.New(rand.NewPCG(1, 2))
	var held []storage.Memory
	live, peak, footprint := 0, 0, int64(0)
	for range 100_000 {
		bytes := int(float64(1<<10) * math.Exp2(r.Float64()*16))
		for live+bytes > most {
			i := r.IntN(len(held))
			live -= held[i].Bytes
			m.Free(held[i])
			held[i] = held[len(held)-1]
			held = held[:len(held)-1]
		}
		memory, err := m.Allocate(bytes)
		if err != nil {
			b.Fatal(err)
		}
		held = append(held, memory)
		live += bytes
		peak = max(peak, live)
		stats := m.Stats()
		footprint = max(footprint, stats.InUse+stats.Cached)
	}
	for _, memory := range held {
		m.Free(memory)
	}
	return float64(footprint) / float64(peak)
}

// BenchmarkSmallArray makes and drops arrays of 16 elements, the collector's work included, beside make of Go.
func BenchmarkSmallArray(b *testing.B) {
	const count = 16
	b.Run("array", func(b *testing.B) {
		data := make([]float32, count)
		b.ReportAllocs()
		for b.Loop() {
			array = nd.FromSlice(data)
		}
	})
	b.Run("make", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			made = make([]float32, count)
		}
	})
}

var array *nd.Array
