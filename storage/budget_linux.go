package storage

import (
	"bytes"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// memoryOfHost returns the bytes of memory that the process may use: what the machine has, or its control groups allow.
var memoryOfHost = sync.OnceValue(func() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	total := int64(info.Totalram) * int64(info.Unit)
	groups, _ := os.ReadFile("/proc/self/cgroup")
	return lowest(total, groups, os.ReadFile)
})

// lowest returns the least of total and the limits of the groups in the text of /proc/self/cgroup, and of all above them.
func lowest(total int64, groups []byte, read func(name string) ([]byte, error)) int64 {
	for line := range bytes.Lines(groups) {
		fields := strings.SplitN(strings.TrimSpace(string(line)), ":", 3)
		if len(fields) != 3 {
			continue
		}
		root, file := "/sys/fs/cgroup", "memory.max"
		if fields[0] != "0" || fields[1] != "" {
			if !strings.Contains(","+fields[1]+",", ",memory,") {
				continue
			}
			root, file = "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
		}
		// In a container the path may be that of the host, which is not mounted: the root is the group then.
		for group := path.Clean("/" + fields[2]); ; group = path.Dir(group) {
			if text, err := read(path.Join(root, group, file)); err == nil {
				if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 {
					total = min(total, n)
				}
			}
			if group == "/" {
				break
			}
		}
	}
	return total
}
