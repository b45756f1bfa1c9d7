package features

import (
	"os"
	"strconv"
	"strings"
	"sync"
)

// LastLevelCache returns the bytes of the largest cache of the first processor, as Linux tells them, and 0 where they are not known.
var LastLevelCache = sync.OnceValue(func() (largest int) {
	for index := range 8 {
		text, err := os.ReadFile("/sys/devices/system/cpu/cpu0/cache/index" + strconv.Itoa(index) + "/size")
		if err != nil {
			continue
		}
		largest = max(largest, bytesOf(strings.TrimSpace(string(text))))
	}
	return largest
})

// bytesOf returns the number of bytes that a text like 32768K stands for, and 0 for others.
func bytesOf(text string) int {
	kilobytes, isKilobytes := strings.CutSuffix(text, "K")
	count, err := strconv.Atoi(kilobytes)
	if err != nil || !isKilobytes || count < 0 {
		return 0
	}
	return count << 10
}
