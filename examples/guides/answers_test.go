package guides

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pythonRow is what a library of Python writes, what weft writes, and in what else they differ.
type pythonRow struct {
	theirs  string
	ours    any
	differs string
}

// pythonGuide is a guide whose rows the library answers, if it is there, and whose answers are stored for those who have it not.
type pythonGuide struct {
	library   string // its name as a module
	version   string // the least that is asked
	stored    string // file of answers
	setup     string // what rows begin with there
	start     func() // what they begin with here
	precision int    // digits of floats behind the point that are compared; all if it is 0
	sections  []section[pythonRow]
}

var update = flag.Bool("update", false, "write what libraries answer to the files in testdata")

//go:embed testdata/answers.py
var answersProgram string

// ask asks the library, if there is one, for the results of the rows.
func (g *pythonGuide) ask(t *testing.T, expressions []string) (answers []string, found bool) {
	request, err := json.Marshal(map[string]any{"setup": g.setup, "rows": expressions, "precision": g.precision})
	require.NoError(t, err)
	here, err := filepath.Abs("../../bench/peers/.venv/bin/python")
	require.NoError(t, err)
	check := "import numpy, " + g.library + " as l; assert tuple(map(int, l.__version__.split('.')[:2])) >= (" + g.version + ")"
	for _, python := range []string{here, "python3"} {
		if exec.Command(python, "-c", check).Run() != nil {
			continue
		}
		program := exec.Command(python, "-c", answersProgram)
		program.Dir, program.Stdin, program.Stderr = t.TempDir(), bytes.NewReader(request), os.Stderr
		output, err := program.Output()
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(output, &answers))
		return answers, true
	}
	return nil, false
}

// check runs the rows, and holds both sides' results against each other.
func (g *pythonGuide) check(t *testing.T) {
	var expressions []string
	for _, s := range g.sections {
		for _, row := range s.rows {
			expressions = append(expressions, row.theirs)
		}
	}
	require.GreaterOrEqual(t, len(expressions), 100)
	live, found := g.ask(t, expressions)
	if *update && found {
		answers := map[string]string{}
		for i, expression := range expressions {
			answers[expression] = live[i]
		}
		text, err := json.MarshalIndent(answers, "", "\t")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(g.stored, append(text, '\n'), 0o644))
	}
	text, err := os.ReadFile(g.stored)
	require.NoError(t, err)
	var answers map[string]string
	require.NoError(t, json.Unmarshal(text, &answers))
	require.Len(t, answers, len(expressions), "an answer for each row, and a row for each answer: go test -update where there is the library")
	t.Logf("%d rows, asked %s: %v", len(expressions), g.library, found)
	t.Chdir(t.TempDir())
	number := 0
	for _, s := range g.sections {
		for _, row := range s.rows {
			g.start()
			t.Run(row.theirs, func(t *testing.T) {
				require.Equal(t, strings.TrimSpace(answers[row.theirs]), described(run(t, row.ours), g.precision))
			})
			if found {
				require.Equal(t, live[number], answers[row.theirs], "%s answers so now", g.library)
			}
			number++
		}
	}
}
