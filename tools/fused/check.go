package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// place is a line of a file.
type place struct {
	file string
	line int
}

var instruction = regexp.MustCompile(`\((\S+\.go):(\d+)\)\s+FN?M(?:ADD|SUB)[SD]\s`)

// intended matches lines that ask for it, and those that estimate the cost of a region, which results do not depend on.
var intended = regexp.MustCompile(`\b(FMA|fused32|fused64|ForCost)\(`)

// fusedAt returns where in the source an instruction of the compiler's listing comes from, if it fuses a product with a sum.
func fusedAt(listed string) (place, bool) {
	found := instruction.FindStringSubmatch(listed)
	if found == nil {
		return place{}, false
	}
	line, err := strconv.Atoi(found[2])
	return place{found[1], line}, err == nil
}

// check returns what is wrong with the lines that are fused, in order, and which of the known ones are not among them.
func check(lines map[place]bool, known []exception, read func(file string) ([]byte, error)) (problems []string, err error) {
	texts, met := map[string][]string{}, make([]bool, len(known))
	for at := range lines {
		if texts[at.file] == nil {
			text, err := read(at.file)
			if err != nil {
				return nil, err
			}
			texts[at.file] = strings.Split(string(text), "\n")
		}
		if at.line > len(texts[at.file]) {
			return nil, fmt.Errorf("%s has no line %d", at.file, at.line)
		}
		text := strings.TrimSpace(texts[at.file][at.line-1])
		if intended.MatchString(text) {
			continue
		}
		number := slices.IndexFunc(known, func(e exception) bool {
			return strings.HasSuffix(filepath.ToSlash(at.file), "/"+e.file) && strings.Contains(text, e.text)
		})
		if number < 0 {
			problems = append(problems, fmt.Sprintf("%s:%d: fused on arm64: %s", at.file, at.line, text))
			continue
		}
		met[number] = true
	}
	slices.Sort(problems)
	for i, e := range known {
		if !met[i] {
			problems = append(problems, fmt.Sprintf("%s: no longer fused: %s", e.file, e.text))
		}
	}
	return problems, nil
}
