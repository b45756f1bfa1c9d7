package bench

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// pythonLibrary is a library that peers/peer.py measures, in a process of its own with the given environment.
type pythonLibrary struct {
	name        string
	environment string // such as OPENBLAS_CORETYPE=Zen, may be empty
	compiles    bool   // cases first, which takes a minute where it has none from before
}

// compiling is the library where it compiles its cases, in a process of its own.
func (library pythonLibrary) compiling() pythonLibrary {
	library.compiles = true
	return library
}

// patience is how long an answer may take.
func (library pythonLibrary) patience() time.Duration {
	if library.compiles {
		return 5*time.Minute + 100*benchtime()
	}
	return time.Minute + 100*benchtime()
}

var (
	numpy = pythonLibrary{name: "numpy"}
	torch = pythonLibrary{name: "torch"}
)

// pythonProcess answers questions of peers/peer.py.
type pythonProcess struct {
	command   *exec.Cmd
	questions io.WriteCloser
	answers   *bufio.Reader
}

// pythonProcesses are kept until the benchmarks end: to import PyTorch takes seconds. The process of a library that took too long to
// answer, as Numba's tbb does where it waits for ever, is nil: it is not asked again.
var pythonProcesses = map[pythonLibrary]*pythonProcess{}

// errSilent tells of a process that took too long to answer, and was killed.
var errSilent = errors.New("it did not answer in time")

// TestMain ends when the interpreters have: PyTorch takes a processor for most of a second to end, and would take it from the first
// cases of whatever is measured next.
func TestMain(m *testing.M) {
	if model := os.Getenv(memoryOf); model != "" {
		if err := trainAndTell(model); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	for library, process := range pythonProcesses {
		if process == nil {
			continue
		}
		if err := process.end(); err != nil {
			fmt.Fprintf(os.Stderr, "peers/peer.py for %s: %v\n", library.name, err)
		}
	}
	os.Exit(code)
}

// measure reports what a case of a module of the folder peers takes, and skips b where the library has none. It measures for
// as long as -benchtime says.
func (library pythonLibrary) measure(b *testing.B, module string, arguments ...any) (nanoseconds float64) {
	process, found := pythonProcesses[library]
	if !found {
		process = library.start(b)
		pythonProcesses[library] = process
	}
	if process == nil {
		b.Skip("an earlier question: ", errSilent)
	}
	words := strings.Fields(fmt.Sprintln(append([]any{module, library.name, benchtime().Seconds()}, arguments...)...))
	answer, err := process.ask(strings.Join(words, " "), library.patience())
	if errors.Is(err, errSilent) {
		pythonProcesses[library] = nil
		_ = process.end() // which was killed
		b.Skip(err)
	}
	if err != nil {
		delete(pythonProcesses, library)
		b.Fatal(errors.Join(err, process.end()))
	}
	if reason, missing := strings.CutPrefix(answer, "missing "); missing {
		b.Skip(reason)
	}
	if _, err := fmt.Sscanf(answer, "ns/op %g", &nanoseconds); err != nil {
		b.Fatalf("%s told %q: %v", library.name, answer, err)
	}
	for b.Loop() {
		continue // The library was measured already, as often as it takes.
	}
	b.ReportMetric(nanoseconds, "ns/op")
	return nanoseconds
}

// interpreter returns the path of Python's, and skips b where it was not installed.
func (library pythonLibrary) interpreter(b *testing.B) string {
	path, err := filepath.Abs(filepath.Join("peers", ".venv", "bin", "python"))
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		b.Skip("NumPy, PyTorch and Numba are not installed, make peers does that: ", err)
	}
	return path
}

func (library pythonLibrary) start(b *testing.B) *pythonProcess {
	command := exec.Command(library.interpreter(b), filepath.Join("peers", "peer.py"))
	command.Env = append(os.Environ(), "OMP_NUM_THREADS=2", "OPENBLAS_NUM_THREADS=2")
	if library.environment != "" {
		command.Env = append(command.Env, library.environment)
	}
	command.Stderr = os.Stderr
	process, err := startPython(command)
	if err != nil {
		b.Fatal(err)
	}
	return process
}

func startPython(command *exec.Cmd) (*pythonProcess, error) {
	questions, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	answers, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &pythonProcess{command, questions, bufio.NewReader(answers)}, command.Start()
}

// end closes the input of the interpreter, with which it ends, and returns when it has.
func (p *pythonProcess) end() error { return errors.Join(p.questions.Close(), p.command.Wait()) }

// ask returns the answer to a question, and kills the process if there is none for that long.
func (p *pythonProcess) ask(question string, patience time.Duration) (answer string, err error) {
	timer := time.AfterFunc(patience, func() { _ = p.command.Process.Kill() })
	if _, err = fmt.Fprintln(p.questions, question); err == nil {
		answer, err = p.answers.ReadString('\n')
	}
	if !timer.Stop() {
		err = errSilent
	}
	if err != nil {
		return "", fmt.Errorf("peers/peer.py, asked %q: %w", question, err)
	}
	return strings.TrimSpace(answer), nil
}

// benchtime is how long a benchmark runs: the flag -benchtime, if that is a duration.
func benchtime() time.Duration {
	if duration, err := time.ParseDuration(flag.Lookup("test.benchtime").Value.String()); err == nil {
		return duration
	}
	return 10 * time.Millisecond
}

func TestAPeerThatDoesNotAnswerIsGivenUp(t *testing.T) {
	for program, want := range map[string]error{"cat": nil, "sleep 100": errSilent} {
		words := strings.Fields(program)
		if _, err := exec.LookPath(words[0]); err != nil {
			t.Skip(err)
		}
		process, err := startPython(exec.Command(words[0], words[1:]...))
		require.NoError(t, err)
		patience := time.Minute
		if want != nil {
			patience = time.Millisecond
		}
		answer, err := process.ask("question", patience)
		require.ErrorIs(t, err, want, program)
		if want == nil {
			require.Equal(t, "question", answer)
			require.NoError(t, process.end())
		} else {
			require.Error(t, process.end(), "it was killed")
		}
	}
}
