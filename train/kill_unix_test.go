//go:build unix

package train_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/train"
)

const (
	childVariable    = "WEFT_TEST_TRAIN"
	capturedVariable = "WEFT_TEST_CAPTURED"
)

// TestMain makes the test binary a training without end when it is asked to be, so that tests can kill it.
func TestMain(m *testing.M) {
	if path := os.Getenv(childVariable); path != "" {
		os.Exit(trainUntilInterrupted(path, os.Getenv(capturedVariable) != ""))
	}
	os.Exit(m.Run())
}

const interruptedCode = 3

func trainUntilInterrupted(path string, captured bool) (code int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	tr := newTrainer(at(path, 1), with(train.NewLog("/dev/fd/3")), with(train.NewBest(path+".best", "validation_loss", false)))
	tr.Captured = captured
	from, err := tr.Resume()
	fmt.Fprintln(os.Stderr, from)
	if err == nil {
		err = tr.Fit(ctx, 1e9)
	}
	if errors.Is(err, context.Canceled) {
		return interruptedCode
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// killed runs a training without end, and sends it a signal a while after it tells of so many steps. It returns the last step that
// it told of, and what else it said.
func killed(t *testing.T, path, captured string, s syscall.Signal, after int, while time.Duration) (last int, status string) {
	t.Helper()
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	defer reader.Close()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), childVariable+"="+path, capturedVariable+"="+captured)
	command.ExtraFiles = []*os.File{writer}
	var told bytes.Buffer
	command.Stderr = &told
	err = command.Start()
	if errors.Is(err, syscall.ENOEXEC) {
		t.Skip("an emulator runs this test, but cannot start another program: ", err)
	}
	require.NoError(t, err)
	writer.Close()
	send := func() { time.AfterFunc(while, func() { _ = command.Process.Signal(s) }) }
	if after == 0 {
		send()
	}
	made := 0
	for decoder := json.NewDecoder(reader); ; {
		var e train.Entry
		if decoder.Decode(&e) != nil { // the pipe has ended with the process, perhaps within a line
			break
		}
		last = e.Step
		if e.Kind == "step" {
			if made++; made == after {
				send()
			}
		}
	}
	_ = command.Wait()
	if code := command.ProcessState.ExitCode(); s == syscall.SIGINT && code != interruptedCode {
		// Before the process listens to signals an interrupt kills it.
		require.Zero(t, made, told.String())
	} else if s == syscall.SIGKILL {
		require.Equal(t, s, command.ProcessState.Sys().(syscall.WaitStatus).Signal(), told.String())
	}
	return last, told.String()
}

func TestTrainingKilledAtRandomMomentsGoesOnToTheSameBits(t *testing.T) {
	kills := 20
	if testing.Short() {
		kills = 4
	}
	path := filepath.Join(t.TempDir(), "checkpoint.npz")
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random, last, begun := rand.New(rand.NewPCG(seed, 0)), 0, time.Now()
	for range kills {
		s := []syscall.Signal{syscall.SIGKILL, syscall.SIGINT}[random.IntN(2)]
		after := random.IntN(2 * steps)
		while := time.Duration(random.Int64N(int64(5 * time.Millisecond)))
		if after == 0 {
			while *= 20 // somewhere in its start
		}
		captured := []string{"", "captured"}[random.IntN(2)]
		step, status := killed(t, path, captured, s, after, while)
		t.Logf("%v %v after %d steps, at step %d: %s%s", s, while, after, step, status, captured)
		last = max(last, step)
	}
	t.Logf("%d kills in %v", kills, time.Since(begun))
	// The end lies behind all that was trained, so that it depends on no moment of the signals.
	epochs := last/steps + 1
	best := func(path string) func(*train.Trainer) { return with(train.NewBest(path, "validation_loss", false)) }
	resumed := newTrainer(at(path, 1), best(path+".best"))
	from, err := resumed.Resume()
	require.NoError(t, err)
	require.GreaterOrEqual(t, from.Step, last-1, "no more than the step that was made last is made again")
	wanted := newTrainer(best(path + ".wanted"))
	require.Equal(t, bits(t, fit(t, wanted, epochs)), bits(t, fit(t, resumed, epochs)))
	want, err := os.ReadFile(path + ".wanted")
	require.NoError(t, err)
	got, err := os.ReadFile(path + ".best")
	require.NoError(t, err)
	require.Equal(t, want, got, "the best model")
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "checkpoint.npz*"))
	require.NoError(t, err)
	require.LessOrEqual(t, len(left), 5, "files: the checkpoint, the previous one, a new one, two of the best models")
}
