//go:build unix && !linux

package storage

func newSharedFile(bytes int) (descriptor int, err error) { return newUnlinkedFile(bytes) }

// checkSharedFile returns an error unless the file has at least bytes bytes. That it keeps them is for its sender to see to:
// only Linux has seals.
func checkSharedFile(descriptor, bytes int) error { return checkSize(descriptor, bytes) }
