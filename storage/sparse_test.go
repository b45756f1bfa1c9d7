package storage

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestObjectsWithCleanupsShareASpanWithFew(t *testing.T) {
	const span, most = 8192, 16
	for name, size := range map[string]uintptr{"title": unsafe.Sizeof(title{}), "tenant": unsafe.Sizeof(tenant{})} {
		require.LessOrEqual(t, span/size, uintptr(most), name)
	}
}
