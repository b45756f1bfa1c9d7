package main

import "github.com/mmcloughlin/avo/reg"

// vendor writes the function that returns the processor's maker: the letters that CPUID has for it.
func (f *file) vendor() {
	a := &assembler{Context: f.context, file: f}
	a.Function("vendor")
	a.SignatureExpr("func() (first, second, third uint32)")
	a.Doc("vendor returns the processor's maker as twelve letters, four in a number.")
	a.XORL(reg.EAX, reg.EAX)
	a.XORL(reg.ECX, reg.ECX)
	a.CPUID()
	a.Store(reg.EBX, a.ReturnIndex(0))
	a.Store(reg.EDX, a.ReturnIndex(1))
	a.Store(reg.ECX, a.ReturnIndex(2))
	a.RET()
}
