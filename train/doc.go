// Package train fits models to data: the loop over epochs and batches, and what belongs around it.
//
// A Trainer holds the parts of a training. Fit goes through the data, and tells Callbacks of its events: Log writes them as lines of
// JSON, NewProgress tells people, EarlyStopping ends a training that gets no better, Best keeps the best model.
//
//	t := &train.Trainer{Env: env, Model: model, Loss: nn.SoftmaxCrossEntropy, Optimiser: descent, Loader: loader,
//		Validation: validation, Metrics: []train.Metric{{Name: "accuracy", Of: nn.Accuracy}},
//		Callbacks:  []train.Callback{train.NewProgress(os.Stderr), train.NewLog("log.jsonl")},
//		Checkpoint: train.Checkpoint{Path: "checkpoint.npz", Every: 1000}}
//	from, err := t.Resume()
//	err = t.Fit(ctx, 20)
//
// A training that was killed or interrupted goes on from its checkpoint to the bits of an uninterrupted one.
//
// # Concurrency
//
// A Trainer is used by one goroutine at a time, and calls its callbacks in that goroutine.
//
// # What it does not do
//
// It trains one model on one device. Loops of another kind are a few lines of packages autograd, nn and optim.
package train
