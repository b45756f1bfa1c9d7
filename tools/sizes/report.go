package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/weft-nd/weft/tools/internal/layout"
)

const (
	// long is the number of lines above which a library file is pointed out.
	long = 500
	// limit is the number of lines that no file written by hand may exceed.
	limit = 700
)

// Report writes a table of the library packages (their files written by hand, without tests), then the library files
// that are long, then every file written by hand, tests and programs included, that exceeds the limit. It returns how
// many exceed the limit.
func Report(w io.Writer, files []File) (exceeding int) {
	packages := map[string][]File{}
	var library, over []File
	for _, file := range files {
		if file.Generated {
			continue
		}
		if file.Lines > limit {
			over = append(over, file)
		}
		if place, known := layout.Of(file.Folder()); known && place.Kind == layout.Library && !file.Test {
			packages[file.Folder()] = append(packages[file.Folder()], file)
			library = append(library, file)
		}
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, files []File) {
		fmt.Fprintf(table, "%d\t%d\t%d\t  %s\n", len(files), total(files), median(files), name)
	}
	fmt.Fprintln(table, "files\tlines\tmedian\t  package")
	for _, folder := range slices.Sorted(maps.Keys(packages)) {
		row(folder, packages[folder])
	}
	row(fmt.Sprintf("all %d packages", len(packages)), library)
	table.Flush()
	for _, file := range library {
		if file.Lines > long {
			fmt.Fprintf(w, "%s: %d lines, more than %d\n", file.Path, file.Lines, long)
		}
	}
	for _, file := range over {
		fmt.Fprintf(w, "%s: %d lines exceed the limit of %d\n", file.Path, file.Lines, limit)
	}
	return len(over)
}

func total(files []File) (lines int) {
	for _, file := range files {
		lines += file.Lines
	}
	return lines
}

// median returns the lower median, which is the length of some file.
func median(files []File) int {
	if len(files) == 0 {
		return 0
	}
	lengths := make([]int, 0, len(files))
	for _, file := range files {
		lengths = append(lengths, file.Lines)
	}
	slices.Sort(lengths)
	return lengths[(len(lengths)-1)/2]
}
