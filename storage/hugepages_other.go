//go:build unix && !linux

package storage

import "unsafe"

func adviseHugePages(unsafe.Pointer, int) {}
