package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProfileTellsWhatRanAndChangesNothing(t *testing.T) {
	data, folder := smallData(t), filepath.Join(t.TempDir(), "new", "folder")
	want, status, code := mnist(t, nil, "-data", data, "-epochs", "1", "-charts", "")
	require.Zero(t, code, status)
	out, status, code := mnist(t, nil, "-data", data, "-epochs", "1", "-charts", "", "-profile", folder)
	require.Zero(t, code, status)
	path := func(name string) string { return filepath.Join(folder, name) }
	require.Equal(t, "profile: "+path("timeline.html")+" "+path("table.txt")+" "+path("trace.json")+"\n"+want, out)

	table := contents(t, path("table.txt"))
	counted := regexp.MustCompile(`\n(\d+) operations in \S+ \S+\n$`).FindStringSubmatch(table)
	require.NotNil(t, counted, table)
	steps := `\s+10\s+0\s+0\s` // 600 images in steps of 64; none failed or skipped
	require.Regexp(t, `(?m)^sgd`+steps, table)
	require.Regexp(t, `(?m)^softmax_cross_entropy`+steps, table)

	var events []struct {
		Phase    string `json:"ph"`
		Category string `json:"cat"`
	}
	require.NoError(t, json.Unmarshal([]byte(contents(t, path("trace.json"))), &events))
	operations := 0
	for _, e := range events {
		if e.Phase == "X" && e.Category == "operation" {
			operations++
		}
	}
	require.Equal(t, counted[1], strconv.Itoa(operations))

	page := contents(t, path("timeline.html"))
	require.Regexp(t, `(?s)^<!doctype html>.*"softmax_cross_entropy".*</html>\s*$`, page)
}

func TestProfileOfAFailedRunIsWritten(t *testing.T) {
	folder := t.TempDir()
	out, status, code := mnist(t, nil, "-data", smallData(t), "-epochs", "1", "-lr", "1e6", "-profile", folder)
	require.Equal(t, 1, code)
	require.Contains(t, status, "the loss is NaN")
	require.Contains(t, out, "profile: "+folder)
	require.Regexp(t, `(?m)^sgd\s+[1-9]`, contents(t, filepath.Join(folder, "table.txt")))
}

func contents(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}
