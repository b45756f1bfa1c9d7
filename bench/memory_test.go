package bench

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	nd "github.com/weft-nd/weft/ndarray"
)

// memorySteps is how many steps a process trains whose memory is measured.
const memorySteps = 300

// memoryOf is the environment variable that makes the test binary train the network it names, and print what BenchmarkMNISTMemory reports.
const memoryOf = "WEFT_BENCH_MEMORY_OF"

// BenchmarkMNISTMemory measures how much more memory a process has at its peak than before it made its first array, when it trains
// as in BenchmarkMNIST, as BenchmarkMNISTMemory/<model>, and <model>_called. An iteration is a process.
func BenchmarkMNISTMemory(b *testing.B) {
	eachDigitTraining(b, func(b *testing.B, m *digitModel, way trainingWay) {
		reportGrowth(b, func() *exec.Cmd {
			command := exec.Command(os.Args[0])
			command.Env = append(os.Environ(), memoryOf+"="+m.name+way.suffix)
			return command
		})
	})
}

// BenchmarkMNISTMemoryPeers measures PyTorch in the same way, from when it has been imported.
func BenchmarkMNISTMemoryPeers(b *testing.B) {
	for _, m := range digitModels {
		b.Run(m.name+"/torch", func(b *testing.B) {
			reportGrowth(b, func() *exec.Cmd {
				interpreter := torch.interpreter(b)
				command := exec.Command(interpreter, filepath.Join("peers", "mnist_memory.py"), m.name, strconv.Itoa(digitBatch), strconv.Itoa(memorySteps))
				command.Env = append(os.Environ(), "OMP_NUM_THREADS=2")
				return command
			})
		})
	}
}

// reportGrowth runs processes that print how many bytes they have grown by, and reports the mean.
func reportGrowth(b *testing.B, process func() *exec.Cmd) {
	memory(b) // skips
	total := int64(0)
	for range b.N {
		command := process()
		command.Stderr = os.Stderr
		out, err := command.Output()
		if err != nil {
			b.Fatal(err)
		}
		grown, err := strconv.ParseInt(string(bytes.TrimSpace(out)), 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		total += grown
	}
	b.ReportMetric(float64(total)/float64(b.N)/(1<<20), "MiB")
}

// memory returns what of this process is in memory, and the most that was; it skips b where the system does not tell.
func memory(b *testing.B) (now, peak int64) {
	now, peak, err := ownMemory()
	if err != nil {
		b.Skip(err)
	}
	return now, peak
}

func ownMemory() (now, peak int64, err error) {
	text, err := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(text)) {
		for name, value := range map[string]*int64{"VmRSS:": &now, "VmHWM:": &peak} {
			if rest, found := strings.CutPrefix(line, name); found {
				_, scanErr := fmt.Sscanf(rest, "%d kB", value)
				err = errors.Join(err, scanErr)
				*value <<= 10
			}
		}
	}
	return now, peak, err
}

// trainAndTell trains the named network, and prints by how much the process has grown at its peak.
func trainAndTell(name string) error {
	idle, _, err := ownMemory()
	if err != nil {
		return err
	}
	for _, m := range digitModels {
		for _, way := range trainings {
			if m.name+way.suffix != name {
				continue
			}
			step := m.training(nd.DefaultEnv().WithSeed(1), way)
			for range memorySteps {
				if err := step(); err != nil {
					return err
				}
			}
		}
	}
	_, peak, err := ownMemory()
	fmt.Println(peak - idle)
	return err
}
