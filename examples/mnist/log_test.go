package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// readLog returns the records of a log, without their rates, which are those of a clock.
func readLog(t *testing.T, path string) (records []record) {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	for line := range strings.Lines(string(content)) {
		var r record
		require.NoError(t, json.Unmarshal([]byte(line), &r), line)
		require.Positive(t, r.Rate)
		r.Rate = 0
		records = append(records, r)
	}
	return records
}

func TestLogTellsOfEveryStepAndEpochOnceAlsoWhenResumed(t *testing.T) {
	folder, path := smallData(t), filepath.Join(t.TempDir(), "log.jsonl")
	tr := newTraining(t, folder, "-log", path)
	tr.run(t, "-epochs", "3")
	want := readLog(t, path)
	require.Len(t, want, 3*(6+1))
	for i, r := range want {
		require.Equal(t, i/7+1, r.Epoch)
		require.Positive(t, r.Loss)
		if i%7 == 6 {
			require.Equal(t, record{Kind: "epoch", Epoch: r.Epoch, Step: 6 * r.Epoch, Loss: r.Loss, Accuracy: r.Accuracy}, r)
			var mean float64
			for _, step := range want[i-6 : i] {
				mean += step.Loss / 6
			}
			require.InDelta(t, mean, r.Loss, 1e-9)
			require.Positive(t, r.Accuracy)
		} else {
			require.Equal(t, record{Kind: "step", Epoch: r.Epoch, Step: i - i/7 + 1, Loss: r.Loss, Accuracy: r.Accuracy}, r)
		}
	}
	require.NoError(t, os.Remove(tr.checkpoint)) // the previous one is of the end of epoch 2
	tr.run(t, "-epochs", "3", "-resume")
	require.Equal(t, want, readLog(t, path))
	tr.run(t, "-epochs", "3")
	require.Equal(t, want, readLog(t, path), "a new training begins a new log")
}

func TestLogIsCutWhereALineIsNotWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	first := `{"kind":"step","epoch":1,"step":1,"loss":2,"accuracy":0,"images_per_second":1}` + "\n"
	require.NoError(t, os.WriteFile(path, []byte(first+`{"kind":"step","ep`), 0o600))
	l, err := openLog(path, 5)
	require.NoError(t, err)
	require.NoError(t, l.write(record{Kind: "step", Epoch: 1, Step: 2, Loss: 1}, 10))
	require.NoError(t, l.close())
	require.Equal(t, []record{{Kind: "step", Epoch: 1, Step: 1, Loss: 2}, {Kind: "step", Epoch: 1, Step: 2, Loss: 1}}, readLog(t, path))
}

func TestLossThatIsNotFiniteEndsTheTrainingWithItsStep(t *testing.T) {
	out, status, code := mnist(t, nil, "-data", smallData(t), "-charts", "", "-lr", "1000000", "-decay", "1")
	require.Equal(t, 1, code)
	require.Empty(t, out)
	require.Regexp(t, `mnist: the loss is (NaN|\+Inf) at step \d+, in epoch \d+`, status)
}
