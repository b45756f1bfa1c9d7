package enginetest

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAPropertyHangsWhenItsSecondsAreOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan struct{})
		began := time.Now()
		require.True(t, outlasts(ended, 3*time.Second))
		require.Equal(t, 3*time.Second, time.Since(began))
		time.AfterFunc(2500*time.Millisecond, func() { close(ended) })
		require.False(t, outlasts(ended, 3*time.Second))
	})
}
