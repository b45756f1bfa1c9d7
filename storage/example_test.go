package storage_test

import (
	"fmt"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/storage"
)

func ExampleNewPooled() {
	manager, err := storage.NewPooled(device.CPU(30))
	if err != nil {
		fmt.Println(err)
		return
	}
	storage.SetManager(device.CPU(30), manager)
	block, err := storage.NewBlock(device.CPU(30), 1<<20)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(manager.Stats().InUse >= 1<<20)
	block.Release() // kept for the next block
	fmt.Println(manager.Stats().InUse)
	// Output:
	// true
	// 0
}
