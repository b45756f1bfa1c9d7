package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPackagesTellWhatIsFusedOrDoesNotCompile(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"go.mod":               "module example.org/m\n\ngo 1.24\n",
		"sum/sum.go":           "package sum\n\nfunc Sum(x, y, z float64) float64 {\n\treturn x*y + z\n}\n",
		"tests/only_test.go":   "package tests\n",
		"wrong/wrong.go":       "package wrong\n\nfunc Wrong() int { return 1.5 }\n",
		"embedded/embedded.go": "package embedded\n\nimport _ \"embed\"\n\n//go:embed embedded.go\nvar Text string\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	lines, err := compile([]string{"./sum", "./tests"})
	if err != nil || len(lines) != 1 {
		t.Errorf("got %v, %v, want one line", lines, err)
	}
	for at := range lines {
		if filepath.Base(at.file) != "sum.go" || at.line != 4 {
			t.Errorf("got %v", at)
		}
	}
	if _, err := compile([]string{"./wrong"}); err == nil {
		t.Error("what does not compile is no error")
	}
	if _, err := compile([]string{"./embedded"}); err == nil || !strings.Contains(err.Error(), "embedded.go:5:3: ") {
		t.Errorf("got %v, want the compiler's reason", err)
	}
}
