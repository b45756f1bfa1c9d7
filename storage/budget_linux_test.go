package storage

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
)

func TestLimitsOfControlGroups(t *testing.T) {
	const total = 64 << 30
	unlimited := "9223372036854771712\n" // as version 1 writes it
	cases := map[string]struct {
		groups string
		files  map[string]string
		want   int64
	}{
		"none":                 {"", nil, total},
		"no files":             {"0::/user.slice\n", nil, total},
		"version 2":            {"0::/a\n", map[string]string{"/a/memory.max": "1048576\n"}, 1 << 20},
		"max":                  {"0::/a\n", map[string]string{"/a/memory.max": "max\n"}, total},
		"nested, inner least":  {"0::/a/b/c\n", map[string]string{"/a/b/c/memory.max": "4096", "/a/memory.max": "8192"}, 4096},
		"nested, outer least":  {"0::/a/b/c\n", map[string]string{"/a/b/c/memory.max": "8192", "/a/memory.max": "4096"}, 4096},
		"nested, middle only":  {"0::/a/b/c\n", map[string]string{"/a/b/c/memory.max": "max", "/a/b/memory.max": "12288"}, 12288},
		"root":                 {"0::/\n", map[string]string{"/memory.max": "4096"}, 4096},
		"path is not mounted":  {"0::/docker/1234\n", map[string]string{"/memory.max": "5000000"}, 5000000},
		"path leaves the root": {"0::/../../x\n", map[string]string{"/memory.max": "5000000"}, 5000000},
		"above the total":      {"0::/a\n", map[string]string{"/a/memory.max": "1099511627776"}, total},
		"not a number":         {"0::/a\n", map[string]string{"/a/memory.max": "lots"}, total},
		"empty":                {"0::/a\n", map[string]string{"/a/memory.max": ""}, total},
		"nothing":              {"0::/a\n", map[string]string{"/a/memory.max": "0"}, total},
		"negative":             {"0::/a\n", map[string]string{"/a/memory.max": "-1"}, total},
		"too many digits":      {"0::/a\n", map[string]string{"/a/memory.max": strings.Repeat("9", 30)}, total},
		"colon in the path":    {"0::/a:b\n", map[string]string{"/a:b/memory.max": "4096"}, 4096},
		"no end of line":       {"0::/a", map[string]string{"/a/memory.max": "4096"}, 4096},
		"version 1": {
			"12:cpu,cpuacct:/x\n5:memory:/a/b\n1:name=systemd:/z\n",
			map[string]string{"/memory/a/b/memory.limit_in_bytes": "8192\n", "/memory/a/memory.limit_in_bytes": unlimited}, 8192,
		},
		"version 1, unlimited": {"5:memory:/a\n", map[string]string{"/memory/a/memory.limit_in_bytes": unlimited}, total},
		"version 1, container": {"5:memory:/docker/12\n", map[string]string{"/memory/memory.limit_in_bytes": "4096"}, 4096},
		"version 1, together":  {"5:hugetlb,memory:/a\n", map[string]string{"/memory/a/memory.limit_in_bytes": "4096"}, 4096},
		"version 1, others":    {"5:cpuset:/a\n6:memoryless:/a\n", map[string]string{"/memory/a/memory.limit_in_bytes": "4096", "/a/memory.max": "4096"}, total},
		"both versions": {
			"5:memory:/a\n0::/a\n", map[string]string{"/memory/a/memory.limit_in_bytes": "8192", "/a/memory.max": "4096"}, 4096,
		},
		"garbage": {"\n::\n0:\nnonsense\n0::/a\n", map[string]string{"/a/memory.max": "4096"}, 4096},
	}
	for name, c := range cases {
		read := func(path string) ([]byte, error) {
			if text, ok := c.files[strings.TrimPrefix(path, "/sys/fs/cgroup")]; ok {
				return []byte(text), nil
			}
			return nil, os.ErrNotExist
		}
		require.EqualValues(t, c.want, lowest(total, []byte(c.groups), read), name)
	}
}

func TestManagersOfTheHostTakeAShareOfItsMemory(t *testing.T) {
	all := memoryOfHost()
	require.Greater(t, all, int64(16<<20))
	for _, maker := range makers {
		for _, d := range []device.Device{device.CPU(0), device.CPUPinned(0)} {
			m, err := maker(d)
			require.NoError(t, err)
			require.Equal(t, all/10*9, m.Stats().Limit)
		}
	}
}
