package main

import "github.com/weft-nd/weft/dtype"

// dtypeGroups are the element types that have one name where an operator takes all of them.
var dtypeGroups = []struct {
	name string
	has  func(d dtype.DType) bool
}{
	{"bool", func(d dtype.DType) bool { return d == dtype.Bool }},
	{"integers", dtype.DType.IsInteger},
	{"floats", dtype.DType.IsFloat},
	{"complex numbers", dtype.DType.IsComplex},
}

// dtypeNames names element types, whole groups by the names of these.
func dtypeNames(dtypes []dtype.DType) (names []string) {
	for _, group := range dtypeGroups {
		given := only(dtypes, group.has)
		if len(given) == len(only(dtype.All(), group.has)) {
			names = append(names, group.name)
			continue
		}
		for _, d := range given {
			names = append(names, d.String())
		}
	}
	return names
}

// only returns those of dtypes that has is true of.
func only(dtypes []dtype.DType, has func(d dtype.DType) bool) (those []dtype.DType) {
	for _, d := range dtypes {
		if has(d) {
			those = append(those, d)
		}
	}
	return those
}
