package cuda

// recipes are those of the operators that are more than one launch.
var recipes map[string]recipe

func init() {
	recipes = map[string]recipe{
		"sgd": update("sgd", "sgds"), "adam": update("adam", "adams"), "rmsprop": update("rmsprop", "rmsprops"),
		"clip_norm": {kernel: "norms", scratch: clipScratch, run: clipNorm},
		"update":    inPlace("update"), "rescale": inPlace("rescale"), "running_average": inPlace("running_average"),
		"take": {run: take}, "scatter_add": {run: scatterAdd}, "one_hot": {run: oneHot}, "concat": {kernel: "copy", run: copyParts},
		"roll": {kernel: "copy", run: copyParts}, "pad": {kernel: "fill", run: pad}, "pad_with": {kernel: "copy", run: copyParts}, "embed": {kernel: "clear", run: embed}, "embed_diagonal": {kernel: "clear", run: embed},
		"take_along_axis": {kernel: "pick", scratch: placesScratch(1), run: takeAlongAxis}, "put_along_axis": {kernel: "put_none", scratch: placesScratch(1), run: putAlongAxis},
		"take_points": {kernel: "pick", scratch: placesScratch(1), run: takePoints}, "put_points": {kernel: "put_none", scratch: placesScratch(2), run: putPoints},
		"gather_nd": {kernel: "pick", scratch: tuplesScratch, run: gatherND}, "scatter_nd": {kernel: "put_none", scratch: tuplesScratch, run: scatterND},
		"var": spread(0), "std": spread(1), "tril": triangle(0), "triu": triangle(1),
		"cumsum": scan("cumsum"), "cumprod": scan("cumprod"), "cummax": scan("cummax"), "cummin": scan("cummin"),
		"max_pool_gradient": widened(recipe{floats: true, kernel: "scatter_add", run: maxPoolGradient}), "max_pool_select": {kernel: "take", run: maxPoolSelect},
		"norm": {scratch: reductionScratch, run: vectorNorm}, "sum": total("sum"), "prod": total("prod"), "asum": total("asum"), "sumsq": total("sumsq"),
		"count_nonzero": count(countAll), "any": count(countIsSome), "all": count(countIsAll),
		"max": extreme(false, false), "min": extreme(true, false), "argmax": extreme(false, true), "argmin": extreme(true, true),
		"conv": convForward, "conv_bias": convForward, "conv_gradient_data": convData, "conv_transpose": convData, "conv_gradient_weights": widened(convWeights),
		"conv_max_pool": widened(convMaxPool), "conv_max_pool_gradient_data": widened(convMaxPoolGradientData), "conv_max_pool_gradient_weights": widened(convMaxPoolGradientWeights),
		"sort": sorting(sorted), "argsort": sorting(sortedNumbers), "argtopk": sorting(sortedNumbers),
		"max_pool": pool("max_pool"), "average_pool": pool("average_pool"), "average_pool_gradient": {run: averagePoolGradient},
		"layer_norm": norm(rowsOf, true), "rms_norm": norm(rowsOf, false), "group_norm": norm(groupsOf, true), "batch_norm": norm(batchOf, true),
		"layer_norm_gradient": normGradient(rowsOf, true), "rms_norm_gradient": normGradient(rowsOf, false),
		"group_norm_gradient": normGradient(groupsOf, true), "batch_norm_gradient": normGradient(batchOf, true),
		"batch_norm_inference":  {run: batchNormInference},
		"softmax_cross_entropy": crossEntropy("softmax_cross_entropy"), "softmax_cross_entropy_gradient": crossEntropy("softmax_cross_entropy_gradient"),
		"self_attention":          widened(recipe{kernel: "attention_weights", scratch: selfAttentionScratch, run: selfAttention}),
		"self_attention_gradient": widened(recipe{kernel: "attention_slopes", scratch: selfAttentionGradientScratch, run: selfAttentionGradient}),
		"mask_take":               {kernel: "pick", scratch: maskScratch, run: maskTake}, "mask_put": {kernel: "set_none", scratch: maskScratch, run: maskPut},
		"nonzero": {kernel: "logical_not", scratch: nonzeroScratch, run: nonzero}, "unique": {kernel: "runs", scratch: uniqueScratch, run: unique},
		"unique_counts": {kernel: "runs", scratch: uniqueCountsScratch, run: uniqueCounts},
		"searchsorted":  {kernel: "search", run: searchSorted}, "bincount": {run: bincount}, "normal_replay": withoutInputs("normal_replay"),
		"linear": {run: linear}, "linear_gradient": {kernel: "relu_gradient", scratch: linearGradientScratch, run: linearGradient},
	}
}
