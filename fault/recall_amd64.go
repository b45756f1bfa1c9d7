//go:build !noasm

package fault

// recall returns the entry of the call path of Here's caller, and its key, if that is the latest one of those that were met with the key;
// else nil. It neither writes the path down nor looks for it, which is most of what Here costs.
func recall(skip int) (e *entry, key int)
