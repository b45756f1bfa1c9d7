package main

// section is a part of the Python array API standard, version 2024.12, without its extensions.
type section struct {
	title string
	// names are those of the standard, each with its Go identifier in the package of that name, and the test of it where that is not
	// the section's. What stands after a dash is the reason why it is absent.
	pkg, test string
	names     []string
}

const (
	reference    = "TestResultsEqualTheReference"
	specialCases = "TestSpecialCasesOfTheArrayAPIStandard"
)

var arrayAPI = []section{
	{"Constants", "math", "TestTheArrayAPITableNamesWhatIsThere", []string{"e E", "inf Inf", "nan NaN", "newaxis ndarray.NewAxis TestSpansSelectWhatPythonsSlicesDo", "pi Pi"}},
	{"Data types", "dtype", "TestEveryDTypeIsMadeReadAndWritten", []string{
		"bool Bool", "int8 Int8", "int16 Int16", "int32 Int32", "int64 Int64", "uint8 Uint8", "uint16 Uint16", "uint32 Uint32", "uint64 Uint64",
		"float32 Float32", "float64 Float64", "complex64 Complex64", "complex128 Complex128",
	}},
	{"Data type functions", "dtype", "TestPromoteFollowsTheArrayAPIStandard", []string{
		"astype ndarray.Array.Cast " + reference, "can_cast CanCast TestCanCastFollowsPromotion", "finfo DType.FloatLimits TestFloatLimitsAreThoseOfTheNumbers",
		"iinfo DType.IntegerLimits TestIntegerLimitsAreThoseOfGo", "isdtype DType.Kind TestPromoteHoldsTheValuesOfBoth",
		"result_type ndarray.ResultType TestResultTypesAreThoseOfArithmetic",
	}},
	{"Creation functions", "ndarray", "TestEveryDTypeIsMadeReadAndWritten", []string{
		"arange Arange TestArangeCountsAsNumPyDoes", "asarray FromSlice", "empty Zeros TestConstantsAreWritable", "empty_like ZerosLike TestLikeFunctionsKeepShapeAndDType",
		"eye EyeDiagonal TestEyeHasItsDiagonalWhereItIsAsked", "from_dlpack - its capsules are objects of Python; processes share arrays by ndarray.Share",
		"full Full TestConstantsAreWritable", "full_like FullLike TestLikeFunctionsKeepShapeAndDType", "linspace Linspace TestLinspaceMeetsBothEnds",
		"meshgrid Meshgrid TestMeshgridsHaveAnAxisForEachArray", "ones Ones TestConstantsAreWritable", "ones_like OnesLike TestLikeFunctionsKeepShapeAndDType",
		"tril Array.Tril TestTrianglesKeepTheirSideOfADiagonal", "triu Array.Triu TestTrianglesKeepTheirSideOfADiagonal", "zeros Zeros TestConstantsAreWritable",
		"zeros_like ZerosLike TestLikeFunctionsKeepShapeAndDType",
	}},
	{"Element-wise functions", "ndarray", specialCases, []string{
		"abs Array.Abs", "acos Array.Acos", "acosh Array.Acosh", "add Array.Add", "asin Array.Asin", "asinh Array.Asinh", "atan Array.Atan", "atan2 Array.Atan2",
		"atanh Array.Atanh", "bitwise_and Array.BitwiseAnd " + reference, "bitwise_invert Array.BitwiseInvert " + reference,
		"bitwise_left_shift Array.BitwiseLeftShift " + reference, "bitwise_or Array.BitwiseOr " + reference, "bitwise_right_shift Array.BitwiseRightShift " + reference,
		"bitwise_xor Array.BitwiseXor " + reference, "ceil Array.Ceil", "clip Array.Clip", "conj Array.Conj " + reference,
		"copysign Array.CopySign", "cos Array.Cos", "cosh Array.Cosh", "divide Array.Div", "equal Array.Equal", "exp Array.Exp", "expm1 Array.Expm1",
		"floor Array.Floor", "floor_divide Array.FloorDivide", "greater Array.Greater " + reference, "greater_equal Array.GreaterEqual " + reference,
		"hypot Array.Hypot", "imag Array.Imag TestPartsAreViews", "isfinite Array.IsFinite", "isinf Array.IsInf", "isnan Array.IsNaN",
		"less Array.Less " + reference, "less_equal Array.LessEqual " + reference, "log Array.Log", "log10 Array.Log10", "log1p Array.Log1p", "log2 Array.Log2",
		"logaddexp Array.LogAddExp", "logical_and Array.LogicalAnd " + reference, "logical_not Array.LogicalNot " + reference,
		"logical_or Array.LogicalOr " + reference, "logical_xor Array.LogicalXor " + reference, "maximum Array.Maximum", "minimum Array.Minimum",
		"multiply Array.Mul", "negative Array.Neg " + reference, "nextafter Array.NextAfter", "not_equal Array.NotEqual", "positive Array.Positive " + reference,
		"pow Array.Pow", "real Array.Real TestPartsAreViews", "reciprocal Array.Reciprocal", "remainder Array.Remainder", "round Array.Round",
		"sign Array.Sign", "signbit Array.SignBit", "sin Array.Sin", "sinh Array.Sinh", "sqrt Array.Sqrt", "square Array.Square", "subtract Array.Sub",
		"tan Array.Tan", "tanh Array.Tanh", "trunc Array.Trunc",
	}},
	{"Statistical functions", "ndarray", "TestReductionsHaveTheSpecialCasesOfTheStandard", []string{
		"cumulative_prod Array.CumProd", "cumulative_sum Array.CumSum", "max Array.Max", "mean Array.Mean", "min Array.Min", "prod Array.Prod", "std Array.Std",
		"sum Array.Sum", "var Array.Var",
	}},
	{"Searching functions", "ndarray", reference, []string{
		"argmax Array.ArgMax", "argmin Array.ArgMin", "count_nonzero Array.CountNonzero", "nonzero Nonzero TestElementsThatAreNotZeroAreFound",
		"searchsorted SearchSorted TestPlacesInSortedLines", "where Where",
	}},
	{"Set functions", "ndarray", "TestPartsOfUniqueAgreeWithIt", []string{
		"unique_all Unique TestDifferentElementsWithTheirCountsAndPlaces", "unique_counts UniqueCounts", "unique_inverse UniqueInverse",
		"unique_values UniqueValues TestDifferentElementsWithTheirCountsAndPlaces",
	}},
	{"Sorting functions", "ndarray", "TestSortingPutsNaNLastAndIsStable", []string{"argsort Array.ArgSort", "sort Array.Sort"}},
	{"Manipulation functions", "ndarray", "TestManipulationsGiveWhatNumPyGives", []string{
		"broadcast_arrays BroadcastArrays TestShapesBroadcastByTheRuleOfTheStandard", "broadcast_to Array.BroadcastTo " + reference, "concat Concat " + reference,
		"expand_dims Array.ExpandDims TestSqueezeAndExpandDimsAreInverse", "flip Array.Flip", "moveaxis Array.MoveAxes TestAxesMoveWhereTheyAreTold",
		"permute_dims Array.Transpose " + reference, "repeat Array.RepeatEach", "reshape Array.Reshape " + reference,
		"roll Array.RollEach TestElementsRollAlongSeveralAxes", "squeeze Array.Squeeze TestSqueezeAndExpandDimsAreInverse", "stack Stack", "tile Array.Tile",
		"unstack Array.Unstack",
	}},
	{"Indexing functions", "ndarray", reference, []string{"take Array.Take", "take_along_axis Array.TakeAlongAxis"}},
	{"Linear algebra functions", "ndarray", reference, []string{
		"matmul Array.MatMul", "matrix_transpose Array.MatrixTranspose TestAxesMoveWhereTheyAreTold", "tensordot Array.TensorDot TestTensorDotSumsOverTheGivenAxes",
		"vecdot Array.VecDot TestVecDotConjugatesItsFirstOperand",
	}},
	{"Utility functions", "ndarray", reference, []string{"all Array.AllTrue", "any Array.AnyTrue", "diff Array.Diff TestDifferencesAreTakenSoManyTimes"}},
	{"Inspection", "ndarray", "TestParseInvertsString", []string{
		"__array_namespace_info__ - what a package has is known when a program is compiled", "capabilities - all of them are there: indices that are bools, shapes that depend on data",
		"default_device DefaultEnv TestResultsBelongToTheEngineAndDeviceOfTheirOperands", "default_dtypes - there are none: Go's types tell the dtypes of arrays",
		"devices device.Check TestCheckTellsWhichPackageIsMissing", "dtypes dtype.All",
	}},
	{"Attributes of arrays", "ndarray", "TestHandlesDoNotShareShapesWithTheirCallers", []string{
		"dtype Array.DType TestEveryDTypeIsMadeReadAndWritten", "device Array.Device TestResultsBelongToTheEngineAndDeviceOfTheirOperands",
		"mT Array.MatrixTranspose TestAxesMoveWhereTheyAreTold", "ndim Array.Rank", "shape Array.Shape", "size Array.Count", "T Array.T TestViewsShareMemoryAndWritesGoThrough",
	}},
	{"Methods of arrays", "ndarray", reference, []string{
		"__abs__ Array.Abs", "__add__ Array.Add", "__and__ Array.BitwiseAnd", "__array_namespace__ - Go's packages are no values", "__bool__ Item TestEveryDTypeIsMadeReadAndWritten",
		"__complex__ Item TestEveryDTypeIsMadeReadAndWritten", "__dlpack__ - see from_dlpack", "__dlpack_device__ - see from_dlpack", "__eq__ Array.Equal",
		"__float__ Item TestEveryDTypeIsMadeReadAndWritten", "__floordiv__ Array.FloorDivide", "__ge__ Array.GreaterEqual", "__getitem__ Array.Index TestSpansSelectWhatPythonsSlicesDo",
		"__gt__ Array.Greater", "__index__ Item TestEveryDTypeIsMadeReadAndWritten", "__int__ Item TestEveryDTypeIsMadeReadAndWritten", "__invert__ Array.BitwiseInvert",
		"__le__ Array.LessEqual", "__lshift__ Array.BitwiseLeftShift", "__lt__ Array.Less", "__matmul__ Array.MatMul", "__mod__ Array.Remainder", "__mul__ Array.Mul",
		"__ne__ Array.NotEqual", "__neg__ Array.Neg", "__or__ Array.BitwiseOr", "__pos__ Array.Positive", "__pow__ Array.Pow", "__rshift__ Array.BitwiseRightShift",
		"__setitem__ Array.SetSlice TestSetSliceOfOverlappingPartsReadsBeforeItWrites", "__sub__ Array.Sub", "__truediv__ Array.Div", "__xor__ Array.BitwiseXor",
		"to_device Array.To TestMovingToAnotherDeviceKeepsTheContents",
	}},
}
