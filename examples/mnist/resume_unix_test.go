//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/train"
)

// interrupted trains without end, sends the signal when the program tells that it has made so many steps, and returns the last step
// that it told of. The program writes its log to a pipe, so it is stopped at any moment after the step, also within a checkpoint.
func (tr *training) interrupted(t *testing.T, s os.Signal, after int, args ...string) (last int) {
	t.Helper()
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	defer reader.Close()
	command := exec.Command(os.Args[0], append(tr.args, append(args, "-epochs", "1000000", "-every", "1", "-log", "/dev/fd/3")...)...)
	command.Env = append(os.Environ(), "WEFT_TEST_RUN_MNIST=1")
	command.ExtraFiles = []*os.File{writer}
	var out, status bytes.Buffer
	command.Stdout, command.Stderr = &out, &status
	require.NoError(t, command.Start())
	writer.Close()
	for records, made := json.NewDecoder(reader), 0; ; {
		var r train.Entry
		if records.Decode(&r) != nil { // the pipe has ended with the program, perhaps within a line
			break
		}
		last = r.Step
		if r.Kind == "step" {
			if made++; made == after {
				require.NoError(t, command.Process.Signal(s))
			}
		}
	}
	_ = command.Wait()
	require.GreaterOrEqual(t, last, after, status.String())
	if s == os.Interrupt {
		require.Zero(t, command.ProcessState.ExitCode(), status.String())
		require.Contains(t, out.String(), "interrupted: -resume goes on from "+tr.checkpoint)
	} else {
		require.Equal(t, s, command.ProcessState.Sys().(syscall.WaitStatus).Signal(), status.String())
	}
	require.NotContains(t, out.String(), "test accuracy")
	return last
}

func TestKilledTrainingGoesOnToTheSameBits(t *testing.T) {
	folder := smallData(t)
	const stepsOfEpoch = 6
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for model, signals := range map[string][]os.Signal{
		"mlp":   {syscall.SIGKILL, os.Interrupt, syscall.SIGKILL, os.Interrupt, syscall.SIGKILL},
		"lenet": {os.Interrupt, syscall.SIGKILL},
	} {
		t.Run(model, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			tr, last := newTraining(t, folder, "-model", model), 0
			for _, s := range signals {
				last = max(last, tr.interrupted(t, s, 1+random.IntN(stepsOfEpoch), "-resume"))
			}
			// The end lies behind all that was trained, so that it depends on no moment of the signals.
			epochs := strconv.Itoa(last/stepsOfEpoch + 1)
			got, _ := tr.run(t, "-resume", "-epochs", epochs)
			want, _ := newTraining(t, folder, "-model", model).run(t, "-epochs", epochs)
			require.Equal(t, want, got)
		})
	}
}
