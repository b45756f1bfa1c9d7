package main

import (
	"os"
	"slices"
	"testing"
)

func TestInstructionsThatFuseAreFoundWithTheirLines(t *testing.T) {
	for listed, want := range map[string]place{
		"\t0x0028 00040 (/x/sum.go:12)\tFMADDD\tF3, F2, F1, F4":  {"/x/sum.go", 12},
		"\t0x0028 00040 (/x/sum.go:13)\tFNMSUBS\tF3, F2, F1, F4": {"/x/sum.go", 13},
		"\t0x0028 00040 (/x/sum.go:14)\tFMSUBD\tF3, F2, F1, F4":  {"/x/sum.go", 14},
		"\t0x0028 00040 (/x/sum.go:15)\tFMULD\tF3, F2, F1":       {},
		"\t0x0028 00040 (/x/sum.go:16)\tMADD\tR3, R2, R1, R4":    {},
		"# example.org/FMADDD":                                   {},
	} {
		got, found := fusedAt(listed)
		if got != want || found != (want != place{}) {
			t.Errorf("%q: got %v, %v, want %v", listed, got, found, want)
		}
	}
}

func TestLinesAreFusedOnPurposeOrKnown(t *testing.T) {
	files := map[string]string{
		"/m/a.go": "sum += x * y\nsum = math.FMA(x, y, sum)\nt.ForCost(n, 2+x*y, work)\ncost := 2 + x*y\n",
		"/m/b.go": "cost := 2 + x*y\nsum += x*y // not fused\n",
	}
	read := func(file string) ([]byte, error) {
		if text, found := files[file]; found {
			return []byte(text), nil
		}
		return nil, os.ErrNotExist
	}
	known := []exception{{"a.go", "cost :="}}
	everywhere := map[place]bool{{"/m/a.go", 1}: true, {"/m/a.go", 2}: true, {"/m/a.go", 3}: true, {"/m/a.go", 4}: true, {"/m/b.go", 1}: true, {"/m/b.go", 2}: true}
	for _, c := range []struct {
		lines map[place]bool
		want  []string
	}{
		{everywhere, []string{
			"/m/a.go:1: fused on arm64: sum += x * y",
			"/m/b.go:1: fused on arm64: cost := 2 + x*y",
			"/m/b.go:2: fused on arm64: sum += x*y // not fused",
		}},
		{map[place]bool{{"/m/a.go", 4}: true}, nil},
		{map[place]bool{{"/m/a.go", 2}: true}, []string{"a.go: no longer fused: cost :="}},
	} {
		got, err := check(c.lines, known, read)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("got %q, %v, want %q", got, err, c.want)
		}
	}
	for _, missing := range []place{{"/m/c.go", 1}, {"/m/a.go", 9}} {
		if _, err := check(map[place]bool{missing: true}, nil, read); err == nil {
			t.Errorf("%v: no error", missing)
		}
	}
}

func TestProductsOfAPackageAreCompiledForArm64(t *testing.T) {
	lines, err := compile([]string{"math"})
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) == 0 {
		t.Error("package math has no fused product")
	}
	if _, err := compile([]string{"./nothing"}); err == nil {
		t.Error("no error for a package that is not there")
	}
}
