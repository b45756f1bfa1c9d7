// Package nn has layers and losses of neural networks.
//
// A layer holds its parameters as arrays, and computes in a Ctx: the tape that records, whether it trains, and where its
// random numbers come from. Parameters are updated in place by package optim; layers are never told.
//
// # Concurrency
//
// Forward may be called from any goroutine. It changes a layer of which a size is Unknown, whose parameters the first
// call makes, whoever makes it, and in training the running averages of BatchNorm, which follow the batches in the
// order of the calls. Initialise and SetState write parameters, as optimisers do. Updating parameters while another
// goroutine's tape has them saved panics with fault.ErrSaved.
//
// # What it does not do
//
// There is no training loop here, no optimiser, and no data.
package nn
