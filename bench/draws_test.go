package bench

import "testing"

// BenchmarkRandomPeers measures the random numbers of NumPy (Philox, one thread) and PyTorch (two threads) on the cases of
// BenchmarkRandom, as BenchmarkRandomPeers/<distribution>/<library>.
func BenchmarkRandomPeers(b *testing.B) {
	const count = 10_000_000
	for _, distribution := range []string{"uniform", "normal"} {
		for _, library := range []pythonLibrary{numpy, torch} {
			b.Run(distribution+"/float32/"+library.name, func(b *testing.B) {
				b.ReportMetric(count/library.measure(b, "draws", distribution, count)*1e3, "M/s")
			})
		}
	}
}
