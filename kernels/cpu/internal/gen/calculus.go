package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// function is an element-wise function of x, or of x and y if it has body2.
type function struct {
	operator string
	double   bool
	widened  bool // float32 elements are computed in float64
	body     func(c code, x value) value
	body2    func(c code, x, y value) value
	abreast  int     // vectors of a block, for wide ones of float32; zero where there are none
	keeps    keeping // what a block has in registers
	apart    bool    // devices have none that is written from body
	scalar   bool    // is for kernels that have assembly of their own, and not written for slices
}

// abreastDouble is how many vectors of float64 a block has by the operator. What is missing has not enough registers
// for two, or, as roots have, a single instruction that takes most of the time. Blocks of one vector leave what is rare
// to a loop that completes.
var abreastDouble = map[string]int{
	"exp": 2, "exp2": 2, "expm1": 2, "sinh": 2, "cosh": 2, "tanh": 3, "sigmoid": 2, "silu": 3,
	"log": 3, "log2": 3, "log10": 3, "log1p": 2, "softplus": 2,
	"sin": 2, "cos": 2, "asin": 2,
	"cbrt": 2,
	"cube": 4, "half_power": 2, "inverse_half_power": 1, "inverse_square": 2,
	"erf":       2,
	"pow":       2,
	"logaddexp": 2, "floor_divide": 2, "remainder": 2, "nextafter": 2,
}

// crowded are the functions whose blocks have one vector with AVX2, for want of registers for two.
var crowded = map[string]bool{
	"logaddexpFloat64": true,
	"powFloat64":       true,
	"cosFloat64":       true,
	"sinFloat64":       true,
	"acoshFloat32":     true,
	"asinFloat64":      true,
	"asinhFloat32":     true,
	"softplusFloat64":  true,
	"log1pFloat64":     true,
	"siluFloat64":      true,
	"tanhFloat64":      true,
	"sinhFloat64":      true,
}

// vectorsOfBlock is how many vectors a block has; zero where there are no blocks.
func (f function) vectorsOfBlock(wide bool) int {
	vectors := f.abreast
	if f.double {
		vectors = abreastDouble[f.operator]
	}
	switch {
	case wide:
		return vectors
	case crowded[f.name()]:
		return min(vectors, 1)
	}
	return min(vectors, 2)
}

func (f function) name() string {
	if f.double {
		return f.goName() + "Float64"
	}
	return f.goName() + "Float32"
}

// exportedName is the name of the function in Go for one element, and exportedOperator that of both its forms for slices.
func (f function) exportedName() string     { return exported(f.name()) }
func (f function) exportedOperator() string { return exported(f.goName()) }

// goName is the operator as a part of names in Go.
func (f function) goName() string {
	words := strings.Split(f.operator, "_")
	for i, word := range words[1:] {
		words[1+i] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

// meanings are the functions by their operators, in words that follow "is".
var meanings = map[string]string{
	"exp": "eˣ", "exp2": "2ˣ", "expm1": "eˣ − 1, which loses nothing for small x", "exp_of_negative": "eˣ for x ≤ 0",
	"sinh": "the hyperbolic sine of x", "cosh": "the hyperbolic cosine of x", "tanh": "the hyperbolic tangent of x",
	"asinh": "the inverse hyperbolic sine of x", "acosh": "the inverse hyperbolic cosine of x", "atanh": "the inverse hyperbolic tangent of x",
	"sigmoid": "1/(1 + e⁻ˣ)", "silu": "x/(1 + e⁻ˣ)", "softplus": "log(1 + eˣ)",
	"log": "the natural logarithm of x", "log2": "the logarithm to base 2 of x", "log10": "the logarithm to base 10 of x", "log1p": "log(1 + x), which loses nothing for small x",
	"sin": "the sine of x", "cos": "the cosine of x", "tan": "the tangent of x", "asin": "the arcsine of x", "acos": "the arccosine of x", "atan": "the arctangent of x",
	"sqrt": "the square root of x", "rsqrt": "1/√x", "cbrt": "the cube root of x",
	"hypot": "√(x² + y²)", "atan2": "the angle of the point (y, x): x is the ordinate", "logaddexp": "log(eˣ + eʸ)",
	"floor_divide": "⌊x/y⌋", "remainder": "x − y⌊x/y⌋, with the sign of y", "nextafter": "the number next to x in the direction of y",
	"pow": "xʸ", "cube": "x³", "half_power": "x to the power of ½", "inverse_half_power": "x to the power of −½", "inverse_square": "x⁻²",
	"erf": "the error function of x", "gelu": "x·Φ(x), Φ being the normal distribution function",
	"gelu_gradient": "y·(Φ(x) + x·φ(x)), Φ and φ being the normal distribution function and density",
}

// meaning is the function in words.
func (f function) meaning() string {
	words, found := meanings[f.operator]
	if !found {
		panic("no words tell what " + f.operator + " is")
	}
	return words
}

// subject is the functions of one file.
type subject struct {
	name      string
	functions []function
	tables    []table
}

// both are functions for float32 and float64 by the same steps, in float64 for both where widened.
func both(operator string, widened bool, body func(c code, x value) value) []function {
	return []function{{operator: operator, widened: widened, body: body}, {operator: operator, double: true, body: body}}
}

// apart are functions for float32, so many vectors abreast, and float64 by different steps.
func apart(operator string, abreast int, single, double func(c code, x value) value) []function {
	return []function{{operator: operator, body: single, abreast: abreast}, {operator: operator, double: true, body: double}}
}

// inBlocks returns functions whose float32 form computes so many vectors abreast, and keeps that in registers.
func inBlocks(abreast int, keeps keeping, functions []function) []function {
	functions[0].abreast, functions[0].keeps = abreast, keeps
	return functions
}

var subjects = []subject{
	{"exponential", join(
		inBlocks(4, constantsAndTables, both("exp", false, exp)), apart("exp2", 4, exp2Single, exp2), apart("expm1", 4, expm1Single, expm1), apart("sinh", 2, sinhSingle, sinh), apart("cosh", 2, coshSingle, cosh),
		[]function{{operator: "exp_of_negative", body: expOfNegative, apart: true, scalar: true}, {operator: "exp_of_negative", double: true, body: expOfNegative, apart: true, scalar: true}},
		inBlocks(4, nothing, both("tanh", false, tanh)), inBlocks(4, nothing, both("sigmoid", false, sigmoid)), inBlocks(4, nothing, both("silu", false, silu)),
	), []table{sixteenths}},
	{"logarithm", join(
		apart("log", 4, logSingle, log), apart("log2", 4, log2Single, log2), apart("log10", 4, log10Single, log10), apart("log1p", 2, log1pSingle, log1p),
		apart("softplus", 2, softplusSingle, softplus),
		apart("asinh", 2, asinhSingle, asinh), apart("acosh", 2, acoshSingle, acosh), apart("atanh", 2, atanhSingle, atanh),
	), []table{logReciprocals, logMiddles}},
	{"trigonometric", join(
		apart("sin", 2, sinSingle, sin), apart("cos", 2, cosSingle, cos), apart("tan", 2, tanSingle, tan), apart("asin", 2, asinSingle, asin), apart("acos", 2, acosSingle, acos),
		apart("atan", 2, atanSingle, atan),
	), nil},
	{"root", join(both("sqrt", false, squareRoot), both("rsqrt", false, inverseRoot), inBlocks(2, nothing, both("cbrt", false, cubeRoot))), nil},
	{"pairs", []function{
		{operator: "hypot", widened: true, body2: hypotSingle}, {operator: "hypot", double: true, body2: hypot},
		{operator: "atan2", body2: atan2Single, abreast: 2}, {operator: "atan2", double: true, body2: atan2},
		{operator: "logaddexp", body2: logAddExpSingle, abreast: 2}, {operator: "logaddexp", double: true, body2: logAddExp},
		{operator: "floor_divide", body2: floorDivide, abreast: 2, apart: true}, {operator: "floor_divide", double: true, body2: floorDivide, apart: true},
		{operator: "remainder", body2: remainderOf, abreast: 2, apart: true}, {operator: "remainder", double: true, body2: remainderOf, apart: true},
		{operator: "nextafter", body2: nextAfter}, {operator: "nextafter", double: true, body2: nextAfter},
	}, nil},
	{"power", []function{
		{operator: "pow", widened: true, body2: powSingle, abreast: 2, keeps: tablesAlone}, {operator: "pow", double: true, body2: pow},
		{operator: "cube", widened: true, body: cube, abreast: 4, apart: true}, {operator: "cube", double: true, body: cube, apart: true},
		{operator: "half_power", body: halfPower, abreast: 2, apart: true}, {operator: "half_power", double: true, body: halfPower, apart: true},
		{operator: "inverse_half_power", body: inverseHalfPowerSingle, abreast: 2, apart: true}, {operator: "inverse_half_power", double: true, body: inverseHalfPower, apart: true},
		{operator: "inverse_square", body: inverseSquareSingle, abreast: 2, apart: true}, {operator: "inverse_square", double: true, body: inverseSquare, apart: true},
	}, []table{powReciprocals, powLogarithms, loweredPowers, powThirtySeconds, powLogarithmsFirst, powLogarithmsSecond, powersRests}},
	{"error", []function{
		{operator: "erf", body: erfSingle, abreast: 2}, {operator: "erf", double: true, body: erf},
		{operator: "gelu", body: geluSingle, abreast: 2, keeps: tablesAlone}, {operator: "gelu", double: true, body: gelu},
		{operator: "gelu_gradient", body2: geluGradientSingle, abreast: 2, keeps: tablesAlone}, {operator: "gelu_gradient", double: true, body2: geluGradient},
	}, slices.Concat(tailPieces, slopePieces)},
}

func join(lists ...[]function) (all []function) {
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

// calculusGroups are the subjects as groups of assembly.
func calculusGroups() (all []group) {
	unknown := maps.Clone(crowded)
	for _, s := range subjects {
		for _, f := range s.functions {
			delete(unknown, f.name())
		}
		all = append(all, group{folder: "calculus", name: s.name, write: s.write})
	}
	if len(unknown) > 0 {
		panic(fmt.Sprint("no function has the name of ", unknown))
	}
	return all
}

// write writes the assembly, what hands it to the functions for slices, these, and the functions in Go.
func (s subject) write(f *file) {
	var table, text strings.Builder
	table.WriteString("\nfunc init() {\n")
	text.WriteString("// Code generated by kernels/cpu/internal/gen. DO NOT EDIT.\n\npackage calculus\n\nimport \"math\"\n")
	for _, t := range s.tables {
		text.WriteString(t.text())
	}
	for _, function := range s.functions {
		if !function.scalar {
			size, form := 32, "unary"
			if function.double {
				size = 64
			}
			if function.body2 != nil {
				form = "binary"
			}
			f.each(function.double, function.write)
			fmt.Fprintf(&table, "*%s.assembly%d = %sVariants[float%[2]d]{%[4]sAVX2, %[4]sAVX512}\n", function.exportedOperator(), size, form, function.name())
			if !function.double {
				fmt.Fprintf(&text, "\n// %s is %s.\nvar %[1]s = %[3]s(%[1]sFloat32, %[1]sFloat64)\n", function.exportedOperator(), function.meaning(), form)
			}
		}
		text.WriteString("\n" + function.text())
	}
	if s.name == "trigonometric" {
		text.WriteString(writeAngles())
	}
	f.appendix = table.String() + "}\n"
	f.portable = text.String()
}
