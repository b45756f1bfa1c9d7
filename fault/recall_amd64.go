//go:build !noasm

package fault

// recall returns the Site of the call path of Here's caller if that is the latest one of those that were met with its key; else nil. It
// neither writes the path down nor looks for it, which is most of what Here costs.
func recall(skip int) (site *Site)
