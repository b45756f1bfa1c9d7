package cuda

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

var _ device.UserKernel = (*UserKernel)(nil)

// UserKernel is a kernel of a Module. It may be used from any goroutine.
type UserKernel struct {
	module     *Module
	name       string
	entry      string
	parameters []device.Parameter
}

// Name implements device.UserKernel.
func (k *UserKernel) Name() string { return k.name }

// Kind implements device.UserKernel.
func (k *UserKernel) Kind() device.Kind { return device.KindGPU }

// Parameters implements device.UserKernel.
func (k *UserKernel) Parameters() []device.Parameter { return slices.Clone(k.parameters) }

// Launch implements device.UserKernel.
func (k *UserKernel) Launch(s device.Stream, a *device.Arguments) error {
	own, ok := s.(*stream)
	if !ok || own == nil || own.unit.backend != k.module.backend {
		return fmt.Errorf("cuda: launch of %s on a stream of another backend: %T", k.name, s)
	}
	return own.enqueue(func(c driver.Context) error {
		grid, numbers := device.GridOf(a.Integers)
		f, err := k.module.function(c, own.unit, k.entry, grid.Shared)
		if err != nil {
			return err
		}
		err = c.LaunchGrid(f, grid, own.handle, k.arguments(a, numbers))
		if err == nil {
			own.launched()
		}
		return err
	})
}

// arguments returns addresses and numbers in the order of the parameters.
func (k *UserKernel) arguments(a *device.Arguments, numbers []int64) []uint64 {
	written, read := a.Outputs, a.Inputs
	all := make([]uint64, len(k.parameters))
	for i, p := range k.parameters {
		from := &read
		if p.Written {
			from = &written
		}
		if p.Array {
			all[i], *from = uint64((*from)[0].Pointer.Address), (*from)[1:]
		} else {
			all[i], numbers = uint64(numbers[0]), numbers[1:]
		}
	}
	return all
}

// elementTypes are what C++ and CUDA's headers call element types, without signed and int beside other words.
var elementTypes = map[string]dtype.DType{
	"bool": dtype.Bool, "float": dtype.Float32, "double": dtype.Float64,
	"char": dtype.Int8, "short": dtype.Int16, "int": dtype.Int32, "long": dtype.Int64, "long long": dtype.Int64,
	"unsigned char": dtype.Uint8, "unsigned short": dtype.Uint16, "unsigned": dtype.Uint32, "unsigned long": dtype.Uint64, "unsigned long long": dtype.Uint64,
	"int8_t": dtype.Int8, "int16_t": dtype.Int16, "int32_t": dtype.Int32, "int64_t": dtype.Int64, "ptrdiff_t": dtype.Int64,
	"uint8_t": dtype.Uint8, "uint16_t": dtype.Uint16, "uint32_t": dtype.Uint32, "uint64_t": dtype.Uint64, "size_t": dtype.Uint64,
	"half": dtype.Float16, "__half": dtype.Float16, "nv_bfloat16": dtype.BFloat16, "__nv_bfloat16": dtype.BFloat16,
	"float2": dtype.Complex64, "cuFloatComplex": dtype.Complex64, "cuComplex": dtype.Complex64,
	"double2": dtype.Complex128, "cuDoubleComplex": dtype.Complex128,
}

// parseParameters reads a list of parameters of C++.
func parseParameters(list string) (parameters []device.Parameter, err error) {
	if strings.TrimSpace(list) == "" {
		return nil, nil
	}
	for text := range strings.SplitSeq(list, ",") {
		p, err := parseParameter(text)
		if err != nil {
			return nil, err
		}
		parameters = append(parameters, p)
	}
	return parameters, nil
}

func parseParameter(text string) (p device.Parameter, err error) {
	kind, name, isArray := strings.Cut(text, "*")
	words := strings.Fields(kind)
	if !isArray && len(words) > 1 && !isTypeWord(words[len(words)-1]) {
		name, words = words[len(words)-1], words[:len(words)-1]
	}
	names := slices.DeleteFunc(strings.Fields(name), func(w string) bool { return w == "const" || w == "__restrict" || w == "__restrict__" })
	name = strings.Join(names, " ")
	constant := slices.Contains(words, "const")
	d, found := elementTypes[canonical(words)]
	switch {
	case !found || strings.ContainsAny(name, "*&[] "):
		return p, fmt.Errorf("%q is no element type, or pointer to one, and a name", strings.TrimSpace(text))
	case !isArray && d.IsComplex():
		return p, fmt.Errorf("%q: complex numbers are taken by arrays alone", strings.TrimSpace(text))
	}
	return device.Parameter{Name: name, DType: d, Array: isArray, Written: isArray && !constant}, nil
}

func isTypeWord(word string) bool {
	_, found := elementTypes[word]
	return found || word == "signed" || word == "const"
}

// canonical joins the words of a type as elementTypes has them: "unsigned long int" is "unsigned long".
func canonical(words []string) string {
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "const" || w == "signed" })
	if len(words) > 1 {
		words = slices.DeleteFunc(words, func(w string) bool { return w == "int" })
	}
	return strings.Join(words, " ")
}

// bytesOf returns how many bytes a parameter has.
func bytesOf(p device.Parameter) int {
	if p.Array {
		return 8
	}
	return p.DType.Size()
}

// entryParameter is a parameter of a kernel in PTX, such as ".param .u64 axpy_param_0", or ".param .align 4 .b8 axpy_param_1[12]".
var entryParameter = regexp.MustCompile(`\.param\s+(?:\.align\s+\d+\s+)?\.[a-z]+(\d+)\s[^,\[]*(?:\[(\d+)\])?`)

// entryParameters returns the bytes of the parameters in a list of PTX.
func entryParameters(list string) (bytes []int) {
	for _, found := range entryParameter.FindAllStringSubmatch(list, -1) {
		bits, _ := strconv.Atoi(found[1])
		count := 1
		if found[2] != "" {
			count, _ = strconv.Atoi(found[2])
		}
		bytes = append(bytes, bits/8*count)
	}
	return bytes
}
