package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMain makes the test binary the program itself when it is asked to be, so that tests see exit codes.
func TestMain(m *testing.M) {
	if os.Getenv("WEFT_TEST_RUN_CHARTRANSFORMER") != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// chartransformer runs the program.
func chartransformer(t *testing.T, environment []string, args ...string) (out, status string, code int) {
	t.Helper()
	command := exec.Command(os.Args[0], args...)
	command.Env = append(append(os.Environ(), "WEFT_TEST_RUN_CHARTRANSFORMER=1"), environment...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	_ = command.Run()
	return stdout.String(), stderr.String(), command.ProcessState.ExitCode()
}

const rhyme = "one for sorrow, two for mirth; "

// textFile writes a text to a file and returns its path.
func textFile(t *testing.T, text string) string {
	path := filepath.Join(t.TempDir(), "text.txt")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// small are the flags of a network that learns a short text in a second.
func small(t *testing.T) []string {
	return []string{
		"-text", textFile(t, strings.Repeat(rhyme, 20)), "-layers", "1", "-heads", "2", "-width", "32", "-context", "24", "-batch", "8", "-steps", "150", "-every", "50",
		"-lr", "0.01", "-prompt", rhyme[:8], "-length", "46",
	}
}

var told = regexp.MustCompile(`(?m)^step \d+ of \d+: loss (\d+\.\d{4})$`)

func TestRepeatedTextIsLearnedAndContinued(t *testing.T) {
	out, status, code := chartransformer(t, nil, append(small(t), "-temperature", "0")...)
	require.Zero(t, code, status)
	found := told.FindAllStringSubmatch(status, -1)
	require.Len(t, found, 3)
	last, err := strconv.ParseFloat(found[2][1], 64)
	require.NoError(t, err)
	require.Less(t, last, 0.2)
	require.Equal(t, (rhyme + rhyme)[:8+46]+"\n", out)
}

func TestRunsRepeatOnEveryEngineAndNumberOfWorkers(t *testing.T) {
	args := append(small(t), "-steps", "20", "-temperature", "1.5", "-top", "10", "-dropout", "0.1")
	want, wantStatus, code := chartransformer(t, nil, args...)
	require.Zero(t, code, wantStatus)
	for _, environment := range []string{"WEFT_ENGINE=pooled", "WEFT_ENGINE=naive", "WEFT_NUM_THREADS=1"} {
		out, status, code := chartransformer(t, []string{environment}, args...)
		require.Zero(t, code, status)
		require.Equal(t, want, out, environment)
		require.Equal(t, wantStatus, status, environment)
	}
	other, status, code := chartransformer(t, nil, append(args, "-seed", "2")...)
	require.Zero(t, code, status)
	require.NotEqual(t, want, other)
}

func TestSimulatedDeviceWritesTheSame(t *testing.T) {
	args := append(small(t), "-steps", "10")
	want, wantStatus, code := chartransformer(t, nil, args...)
	require.Zero(t, code, wantStatus)
	out, status, code := chartransformer(t, nil, append(args, "-device", "sim(0)")...)
	require.Zero(t, code, status)
	require.Equal(t, want, out)
	require.Equal(t, wantStatus, status)
}

func TestSavedParametersWriteTheSame(t *testing.T) {
	file := filepath.Join(t.TempDir(), "parameters.npz")
	args := append(small(t), "-steps", "20")
	want, status, code := chartransformer(t, nil, append(args, "-save", file)...)
	require.Zero(t, code, status)
	out, status, code := chartransformer(t, nil, append(args, "-steps", "0", "-load", file)...)
	require.Zero(t, code, status)
	require.Equal(t, want, out)
}

func TestChoicesFollowTheScores(t *testing.T) {
	scores, random := []float64{1, 3, 2, -5}, rand.New(rand.NewPCG(1, 2))
	require.Equal(t, 1, choose(random, scores, 0, 0))
	require.Equal(t, 1, choose(random, scores, 9, 1))
	counts := [4]int{}
	for range 3000 {
		counts[choose(random, scores, 1, 2)]++
	}
	require.InDelta(t, 3000*0.731, counts[1], 120, "a logistic function of the difference")
	require.Equal(t, 3000, counts[1]+counts[2], "the other two are never drawn")
}

func TestBadInputGivesOneLineAndExitCode1(t *testing.T) {
	notParameters := textFile(t, "no archive")
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"missing text":         {[]string{"-text", "/no/such/file"}, "-text: open /no/such/file"},
		"short text":           {[]string{"-text", textFile(t, "short")}, "the text has 5 characters, want more than -context 64"},
		"binary text":          {[]string{"-text", textFile(t, "\xff\xfe")}, "not UTF-8"},
		"unknown flag":         {[]string{"-colour"}, "colour"},
		"unknown argument":     {[]string{"file"}, `unknown argument "file"`},
		"heads do not divide":  {[]string{"-heads", "3"}, "-heads is 3, which does not divide -width 128"},
		"no layers":            {[]string{"-layers", "0"}, "-layers is 0 (legal: at least 1)"},
		"negative steps":       {[]string{"-steps", "-1"}, "-steps is -1 (legal: at least 0)"},
		"huge rate":            {[]string{"-lr", "1e7"}, "-lr is 1e+07 (legal: above 0, up to 1e6)"},
		"huge temperature":     {[]string{"-temperature", "1e7"}, "-temperature is 1e+07 (legal: from 0 to 1e6)"},
		"all dropped":          {[]string{"-dropout", "1"}, "-dropout is 1 (legal: from 0 to below 1)"},
		"rate that is a NaN":   {[]string{"-lr", "NaN"}, "-lr is NaN"},
		"negative temperature": {[]string{"-temperature", "-1"}, "-temperature is -1"},
		"resume from nothing":  {[]string{"-resume"}, "-resume needs -checkpoint"},
		"unknown device":       {[]string{"-device", "tpu(0)"}, "known kinds are cpu"},
		"absent device":        {[]string{"-device", "gpu(63)"}, "-device: device gpu(63)"},
		"saved to no folder":   {[]string{"-save", "/no/such/folder/p.npz"}, "-save: there is no folder /no/such/folder"},
		"saved into a file":    {[]string{"-save", filepath.Join(notParameters, "p.npz")}, "-save: there is no folder " + notParameters},
		"empty prompt":         {[]string{"-prompt", ""}, "-prompt is empty"},
		"unknown character":    {[]string{"-prompt", "ß"}, "-prompt: the text that is learned has no 'ß'"},
		"parameters missing":   {[]string{"-load", "/no/such.npz"}, "/no/such.npz"},
		"parameters corrupt":   {[]string{"-load", notParameters}, notParameters},
	} {
		t.Run(name, func(t *testing.T) {
			out, status, code := chartransformer(t, nil, c.args...)
			require.Equal(t, 1, code)
			require.Empty(t, out)
			lines := strings.Split(strings.TrimSpace(status), "\n")
			last := lines[len(lines)-1]
			require.Contains(t, last, c.want)
			require.True(t, strings.HasPrefix(last, "chartransformer: "), last)
		})
	}
}
