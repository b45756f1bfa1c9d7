package levelstest

import (
	"fmt"
	"hash/fnv"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
)

// Words is the memory of x as words.
func Words[T dtype.Float](x []T) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(*new(T)))/4)
}

// SumOfBits is SumOfWords of the memory of x.
func SumOfBits[T dtype.Float](x []T) string { return SumOfWords(Words(x)) }

// SumOfWords returns a checksum of words.
func SumOfWords(words []uint32) string {
	hash := fnv.New64a()
	for _, word := range words {
		hash.Write([]byte{byte(word), byte(word >> 8), byte(word >> 16), byte(word >> 24)})
	}
	return fmt.Sprintf("%#016x", hash.Sum64())
}
