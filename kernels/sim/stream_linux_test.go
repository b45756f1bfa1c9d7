package sim

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/fault"
)

func TestHostMemoryThatIsGoneFailsTheCopyOnly(t *testing.T) {
	gone, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	b := New(1)
	s, p := newStream(t, b, 0), allocate(t, b, 0, 4096)
	require.NoError(t, s.Copy(p, host(gone), 4096))
	require.ErrorIs(t, record(t, s).Wait(), fault.ErrPanic)
	require.NoError(t, s.Fill(p, 4096))
	require.NoError(t, s.Close())
	require.NoError(t, syscall.Munmap(gone))
}
