//go:build !noasm

package features

import (
	"syscall"

	"golang.org/x/sys/cpu"
)

// lend asks Linux for the registers of tiles (Documentation/arch/x86/xstate.rst). It refuses where they do not fit the signal stack
// of some thread; those of Go's threads are large enough.
func lend() bool {
	const (
		requestPermission = 0x1023 // ARCH_REQ_XCOMP_PERM
		tileData          = 18     // XFEATURE_XTILEDATA
	)
	x86 := cpu.X86
	if !x86.HasAMXTile || !x86.HasAMXInt8 || !x86.HasAMXBF16 || !x86.HasAVX512BF16 {
		return false
	}
	_, _, failure := syscall.RawSyscall(syscall.SYS_ARCH_PRCTL, requestPermission, tileData, 0)
	return failure == 0
}
