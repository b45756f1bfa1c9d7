// Package data reads data sets and feeds them to training in batches.
//
// # Concurrency
//
// Data sets are read from several goroutines at once. A Loader is used by one goroutine at a time; the batches of one
// iteration are prepared ahead by goroutines that end with it.
//
// # What it does not do
//
// Nothing is downloaded, and nothing is augmented.
package data
