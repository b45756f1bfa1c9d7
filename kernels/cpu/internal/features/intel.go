package features

import "encoding/binary"

// Intel tells whether the processor is one of Intel's. Where two of their threads share a core, which one of a virtual
// machine does with whoever has the other, each waits for its instructions to be decoded: kernels of fewer instructions
// are the faster ones. It is false where there is no assembly.
var Intel = vendorName() == "GenuineIntel"

// vendorName returns the name that CPUID has for the processor's maker; see Intel, "64 and IA-32 Architectures Software Developer's
// Manual", volume 2, CPUID, leaf 0.
func vendorName() string {
	var letters []byte
	first, second, third := vendor()
	for _, four := range []uint32{first, second, third} {
		letters = binary.LittleEndian.AppendUint32(letters, four)
	}
	return string(letters)
}
