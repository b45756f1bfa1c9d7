//go:build unix

package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// ended runs the program until it has told so many losses, sends it a signal, and returns what it printed and how it ended.
func ended(t *testing.T, s syscall.Signal, losses int, args []string) (out, status string, how syscall.WaitStatus) {
	t.Helper()
	command := exec.Command(os.Args[0], args...)
	command.Env = append(os.Environ(), "WEFT_TEST_RUN_CHARTRANSFORMER=1")
	stderr, err := command.StderrPipe()
	require.NoError(t, err)
	stdout, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	lines := bufio.NewReader(stderr)
	for len(told.FindAllString(status, -1)) < losses {
		line, err := lines.ReadString('\n')
		require.NoError(t, err, status)
		status += line
	}
	require.NoError(t, command.Process.Signal(s))
	rest, err := io.ReadAll(lines)
	require.NoError(t, err)
	text, err := io.ReadAll(stdout)
	require.NoError(t, err)
	_ = command.Wait()
	return string(text), status + string(rest), command.ProcessState.Sys().(syscall.WaitStatus)
}

func TestInterruptedTrainingGoesOnToTheSameBits(t *testing.T) {
	folder := t.TempDir()
	name := func(file string) string { return filepath.Join(folder, file) }
	args := append(small(t), "-every", "10", "-dropout", "0.1")
	want, wantStatus, code := chartransformer(t, nil, append(args, "-save", name("whole.npz"))...)
	require.Zero(t, code, wantStatus)

	args = append(args, "-checkpoint", name("checkpoint.npz"), "-save", name("resumed.npz"))
	out, first, how := ended(t, syscall.SIGINT, 1, args)
	require.Zero(t, how.ExitStatus(), first)
	require.Equal(t, "interrupted: -resume goes on from "+name("checkpoint.npz")+"\n", out)
	out, second, code := chartransformer(t, nil, append(args, "-resume")...)
	require.Zero(t, code, second)
	require.Contains(t, second, "checkpoint: "+name("checkpoint.npz")+", after step ")
	require.Equal(t, want, out)
	require.Equal(t, told.FindAllString(wantStatus, -1), append(told.FindAllString(first, -1), told.FindAllString(second, -1)...))

	wantSaved, err := os.ReadFile(name("whole.npz"))
	require.NoError(t, err)
	saved, err := os.ReadFile(name("resumed.npz"))
	require.NoError(t, err)
	require.Equal(t, wantSaved, saved)

	_, status, code := chartransformer(t, nil, append(args, "-resume", "-lr", "0.02")...)
	require.Equal(t, 1, code)
	require.Regexp(t, regexp.MustCompile("the checkpoint is of another training: .*Rate:0.01.*, not .*Rate:0.02"), status)
}

func TestKilledTrainingGoesOnToTheSameBits(t *testing.T) {
	folder := t.TempDir()
	name := func(file string) string { return filepath.Join(folder, file) }
	args := append(small(t), "-every", "10", "-dropout", "0.1")
	want, status, code := chartransformer(t, nil, append(args, "-save", name("whole.npz"))...)
	require.Zero(t, code, status)
	wantSaved, err := os.ReadFile(name("whole.npz"))
	require.NoError(t, err)

	args = append(args, "-checkpoint", name("checkpoint.npz"), "-save", name("resumed.npz"))
	for _, losses := range []int{2, 1} { // there is a checkpoint when the second is told
		_, status, how := ended(t, syscall.SIGKILL, losses, append(args, "-resume"))
		require.Equal(t, syscall.SIGKILL, how.Signal(), status)
	}
	out, status, code := chartransformer(t, nil, append(args, "-resume")...)
	require.Zero(t, code, status)
	require.Contains(t, status, ", after step ")
	require.Equal(t, want, out)
	saved, err := os.ReadFile(name("resumed.npz"))
	require.NoError(t, err)
	require.Equal(t, wantSaved, saved)
}
