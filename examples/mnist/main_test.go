package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/data"
	"github.com/weft-nd/weft/train"
)

// TestMain makes the test binary the program itself when it is asked to be, so that tests see exit codes.
func TestMain(m *testing.M) {
	if os.Getenv("WEFT_TEST_RUN_MNIST") != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// mnist runs the program in a folder of its own, without data unless args name some.
func mnist(t *testing.T, environment []string, args ...string) (out, status string, code int) {
	t.Helper()
	command := exec.Command(os.Args[0], args...)
	command.Dir = t.TempDir()
	command.Env = append(append(os.Environ(), "WEFT_TEST_RUN_MNIST=1", "WEFT_DATA=", "XDG_CACHE_HOME="+command.Dir, "HOME="+command.Dir), environment...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	_ = command.Run()
	return stdout.String(), stderr.String(), command.ProcessState.ExitCode()
}

var lastLine = regexp.MustCompile(`(?m)^test accuracy: (0\.\d{4})\n\z`)

func accuracyOf(t *testing.T, out string) float64 {
	t.Helper()
	found := lastLine.FindStringSubmatch(out)
	require.NotNil(t, found, "output %q does not end with the accuracy", out)
	value, err := strconv.ParseFloat(found[1], 64)
	require.NoError(t, err)
	return value
}

func TestDrawnDigitsAreLearned(t *testing.T) {
	charts := t.TempDir()
	out, status, code := mnist(t, nil, "-charts", charts)
	require.Zero(t, code, status)
	require.Contains(t, status, "drawing 14000 digits instead")
	require.GreaterOrEqual(t, accuracyOf(t, out), 0.97)
	for _, name := range []string{"loss.png", "confusion.png"} {
		header, err := os.ReadFile(filepath.Join(charts, name))
		require.NoError(t, err)
		require.True(t, bytes.HasPrefix(header, []byte("\x89PNG")), name)
	}
}

func TestRunsRepeatOnEveryEngineAndNumberOfWorkers(t *testing.T) {
	var want string
	for _, environment := range []string{"WEFT_ENGINE=perdevice", "WEFT_ENGINE=pooled", "WEFT_ENGINE=naive", "WEFT_NUM_THREADS=1"} {
		out, status, code := mnist(t, []string{environment}, "-epochs", "1", "-charts", "")
		require.Zero(t, code, status)
		accuracyOf(t, out)
		if want == "" {
			want = out
		}
		require.Equal(t, want, out, environment)
	}
}

func TestSimulatedDeviceLearnsTheSame(t *testing.T) {
	folder := smallData(t)
	for model, epochs := range map[string]string{"mlp": "3", "lenet": "1"} {
		want, status, code := mnist(t, nil, "-data", folder, "-model", model, "-epochs", epochs, "-charts", "")
		require.Zero(t, code, status)
		got, status, code := mnist(t, nil, "-data", folder, "-model", model, "-epochs", epochs, "-charts", "", "-device", "sim(0)")
		require.Zero(t, code, status)
		require.Equal(t, want, got, model)
	}
}

func TestSavedParametersGiveTheSameAccuracy(t *testing.T) {
	folder, file := smallData(t), filepath.Join(t.TempDir(), "parameters.npz")
	out, status, code := mnist(t, nil, "-data", folder, "-epochs", "2", "-charts", "", "-save", file)
	require.Zero(t, code, status)
	require.Contains(t, out, "parameters: "+file)
	again, status, code := mnist(t, nil, "-data", folder, "-epochs", "0", "-seed", "99", "-charts", "", "-load", file)
	require.Zero(t, code, status)
	require.Equal(t, accuracyOf(t, out), accuracyOf(t, again))
}

// smallData writes 600 and 200 drawn digits as files of MNIST.
func smallData(t *testing.T) string { return drawnData(t, 600, 200) }

// drawnData writes so many drawn digits as files of MNIST.
func drawnData(t *testing.T, train, test int) string {
	folder := t.TempDir()
	learned, held := split(DrawDigits(train+test, 3), train)
	for name, d := range map[string]*data.Digits{"train": learned, "t10k": held} {
		var images, labels bytes.Buffer
		require.NoError(t, data.WriteIDXImages(&images, d.Images))
		require.NoError(t, data.WriteIDXLabels(&labels, d.Labels))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name+"-images-idx3-ubyte"), images.Bytes(), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name+"-labels-idx1-ubyte"), labels.Bytes(), 0o600))
	}
	return folder
}

func TestBadInputGivesOneLineAndExitCode1(t *testing.T) {
	// broken returns a folder in which one file is changed.
	broken := func(name string, change func([]byte) []byte) string {
		folder := smallData(t)
		path := filepath.Join(folder, name)
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, change(content), 0o600))
		return folder
	}
	const images, labels = "train-images-idx3-ubyte", "train-labels-idx1-ubyte"
	notParameters := filepath.Join(t.TempDir(), "not.npz")
	require.NoError(t, os.WriteFile(notParameters, []byte("no archive"), 0o600))
	cases := map[string]struct {
		args []string
		want string
	}{
		"missing folder":     {[]string{"-data", "/no/such/folder"}, "/no/such/folder"},
		"truncated":          {[]string{"-data", broken(images, func(b []byte) []byte { return b[:1000] })}, images},
		"wrong magic":        {[]string{"-data", broken(images, func(b []byte) []byte { b[3] = 9; return b })}, "magic"},
		"label out of range": {[]string{"-data", broken(labels, func(b []byte) []byte { b[20] = 77; return b })}, "label 77"},
		"counts that differ": {[]string{"-data", broken(labels, func(b []byte) []byte { b[7]--; return b[:len(b)-1] })}, "599"},
		"corrupt gzip": {[]string{"-data", broken(images, func(b []byte) []byte {
			var packed bytes.Buffer
			w := gzip.NewWriter(&packed)
			w.Write(b)
			w.Close()
			packed.Bytes()[packed.Len()/2] ^= 0xff
			return packed.Bytes()
		})}, images},
		"unknown flag":           {[]string{"-colour"}, "colour"},
		"unknown argument":       {[]string{"folder"}, `unknown argument "folder"`},
		"unknown model":          {[]string{"-model", "cnn9"}, "known: lenet, mlp"},
		"unknown device":         {[]string{"-device", "tpu(0)"}, "known kinds are cpu"},
		"absent device":          {[]string{"-device", "gpu(63)"}, "-device: device gpu(63)"},
		"batch of nothing":       {[]string{"-batch", "0"}, "-batch is 0 (legal: at least 1)"},
		"negative epochs":        {[]string{"-epochs", "-1"}, "-epochs is -1"},
		"rate that is a NaN":     {[]string{"-lr", "NaN"}, "-lr is NaN"},
		"rate that is no number": {[]string{"-lr", "fast"}, "fast"},
		"shift of the whole":     {[]string{"-shift", "29"}, "-shift is 29 (legal: from 0 to 28)"},
		"checkpoint never":       {[]string{"-every", "-1"}, "-every is -1"},
		"resumed from nothing":   {[]string{"-resume"}, "need -checkpoint"},
		"log in no folder":       {[]string{"-data", smallData(t), "-log", "/no/such/folder/log.jsonl"}, "log: open /no/such/folder"},
		"momentum of one":        {[]string{"-momentum", "1"}, "-momentum is 1"},
		"saved to no folder":     {[]string{"-data", smallData(t), "-save", "/no/such/folder/p.npz"}, "-save: there is no folder /no/such/folder"},
		"saved into a file":      {[]string{"-data", smallData(t), "-save", filepath.Join(notParameters, "p.npz")}, "-save: there is no folder " + notParameters},
		"charts in a file":       {[]string{"-data", smallData(t), "-charts", notParameters}, "-charts: mkdir " + notParameters},
		"no such checkpoint":     {[]string{"-data", smallData(t), "-checkpoint", "/no/such/folder/c.npz"}, "checkpoint: open /no/such/folder"},
		"parameters missing":     {[]string{"-data", smallData(t), "-load", "/no/such.npz"}, "/no/such.npz"},
		"parameters corrupt":     {[]string{"-data", smallData(t), "-load", notParameters}, notParameters},
		"profile in a file":      {[]string{"-data", smallData(t), "-profile", notParameters}, "-profile: mkdir " + notParameters},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			out, status, code := mnist(t, nil, append([]string{"-charts", ""}, c.args...)...)
			require.Equal(t, 1, code)
			require.Empty(t, out)
			lines := strings.Split(strings.TrimSpace(status), "\n")
			last := lines[len(lines)-1]
			require.Contains(t, last, c.want)
			require.True(t, strings.HasPrefix(last, "mnist: "), last)
			require.LessOrEqual(t, len(lines), 2, "more than the name of the data and one line: %q", status)
		})
	}
}

func TestHelpListsTheFlags(t *testing.T) {
	_, status, code := mnist(t, nil, "-help")
	require.Zero(t, code)
	for _, flag := range []string{"-data", "-download", "-model", "-epochs", "-batch", "-lr", "-seed", "-device", "-save", "-load", "-charts", "-profile", "-shift", "-log",
		"-checkpoint", "-every", "-resume"} {
		require.Contains(t, status, flag)
	}
}

func TestUnknownEngineGivesAnErrorThatNamesTheVariable(t *testing.T) {
	_, status, code := mnist(t, []string{"WEFT_ENGINE=warp"}, "-epochs", "0")
	require.NotZero(t, code)
	require.Contains(t, status, `WEFT_ENGINE: the environment variable is "warp" (legal: naive, pooled, perdevice, shuffled)`)
}

func TestRealMNISTIsLearned(t *testing.T) {
	folder := realMNIST(t)
	epochs, want := "3", 0.97
	if testing.Short() {
		epochs, want = "1", 0.93
	}
	out, status, code := mnist(t, nil, "-data", folder, "-epochs", epochs, "-seed", "1", "-charts", "")
	require.Zero(t, code, status)
	require.GreaterOrEqual(t, accuracyOf(t, out), want)
	t.Logf("ran on the real MNIST in %s, %s epochs: %s", folder, epochs, strings.TrimSpace(out))
}

// realMNIST returns the folder of the real data set, shared/mnist in a folder above; the test is skipped without it.
func realMNIST(t *testing.T) string {
	folder, err := os.Getwd()
	require.NoError(t, err)
	for {
		candidate := filepath.Join(folder, "shared", "mnist")
		if _, err := os.Stat(candidate); err == nil {
			return candidate
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			t.Skip("no folder shared/mnist with the real MNIST above the working folder")
		}
		folder = parent
	}
}

func TestLossThatIsNotFiniteEndsTheTrainingWithItsStepAndOperator(t *testing.T) {
	out, status, code := mnist(t, nil, "-data", smallData(t), "-charts", "", "-lr", "1000000", "-decay", "1")
	require.Equal(t, 1, code)
	require.Empty(t, out)
	require.Regexp(t, `mnist: the loss is (NaN|\+Inf) at step \d+, in epoch \d+: \S`, status)
}

func TestLogTellsOfStepsAndOfTheTestData(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	out, status, code := mnist(t, nil, "-data", smallData(t), "-charts", "", "-epochs", "2", "-log", path)
	require.Zero(t, code, status)
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	entries, err := train.ReadLog(file)
	require.NoError(t, err)
	require.Len(t, entries, 2*(10+1))
	last := entries[len(entries)-1]
	require.Equal(t, "epoch", last.Kind)
	require.InDelta(t, accuracyOf(t, out), last.Values["validation_accuracy"], 1e-4)
	require.Positive(t, last.Values["accuracy"])
}
