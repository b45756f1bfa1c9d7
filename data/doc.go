// Package data reads data sets and feeds them to training in batches.
//
// A Dataset is numbered samples: of arrays (Arrays), of a function (Samples), of files (LoadMNIST), or of other sets (Subset, Concat,
// Map). A Loader goes through one in batches, in an order that a Sampler draws, changed by Transforms, and prepared ahead:
//
//	l := data.NewLoader(data.Arrays(images, labels), 64, data.Shuffle(env), data.Transformed(env, data.RandomShift(2)), data.Workers(2))
//	for batch, err := range l.Batches(ctx) {
//
// Batches, their order and their random numbers follow from the generator alone, whatever the number of workers. State and SetState
// go on within an iteration.
//
// # Concurrency
//
// Data sets are read, and transforms called, from several goroutines at once. A Loader is used by one goroutine at a time, but for
// State; the batches of one iteration are prepared ahead by goroutines that end before the loop does.
//
// # What it does not do
//
// Nothing is downloaded, and no files of images are read.
package data
