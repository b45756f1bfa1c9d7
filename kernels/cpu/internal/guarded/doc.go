// Package guarded has memory for tests that show that kernels touch nothing beside their arrays: a load or a store there ends the test.
package guarded
