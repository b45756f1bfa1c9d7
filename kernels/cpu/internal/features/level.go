package features

import "golang.org/x/sys/cpu"

// Level is a set of instructions; each includes those before it.
type Level int

const (
	// Portable kernels are written in Go.
	Portable Level = iota
	// AVX2 kernels use AVX2, FMA and POPCNT on amd64, and F16C, which all processors with these have.
	AVX2
	// AVX512 kernels use the AVX-512 of servers since 2017 on amd64: F, BW, CD, DQ and VL, and BMI2.
	AVX512
)

func (l Level) String() string { return [...]string{"portable", "avx2", "avx512"}[l] }

// Best is the highest level that the processor and the operating system support, and Portable where the build has no
// assembly: on other architectures than amd64, and with the tag noasm. It is set when the program starts; GODEBUG lowers
// it, as package golang.org/x/sys/cpu documents, for example by cpu.avx512f=off. Only Each changes it later.
var Best = best()

func best() Level {
	x86 := cpu.X86
	switch {
	case !assembly || !x86.HasAVX2 || !x86.HasFMA || !x86.HasPOPCNT:
		return Portable
	case x86.HasAVX512F && x86.HasAVX512BW && x86.HasAVX512CD && x86.HasAVX512DQ && x86.HasAVX512VL && x86.HasBMI2:
		return AVX512
	}
	return AVX2
}

// Each calls test with Best set to each level from Portable to what it was before, one after the other. It is for tests
// and must not be called while kernels run.
func Each(test func(Level)) {
	before := Best
	defer func() { Best = before }()
	for level := Portable; level <= before; level++ {
		Best = level
		test(level)
	}
}
