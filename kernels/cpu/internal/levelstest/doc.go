// Package levelstest helps tests that compare what the levels of package features compute, bit by bit.
//
// As features.Each does, RequireEqual changes the level for all of the process: tests that use it do not run beside others.
package levelstest
