package cuda

// recipes are those of the operators that are more than one launch.
var recipes map[string]recipe

func init() {
	recipes = map[string]recipe{
		"sgd": update("sgd"), "adam": update("adam"), "rmsprop": update("rmsprop"),
		"update": inPlace("update"), "rescale": inPlace("rescale"), "running_average": inPlace("running_average"),
		"take": {run: take}, "scatter_add": {run: scatterAdd}, "one_hot": {run: oneHot}, "concat": {kernel: "copy", run: concat},
		"max_pool_gradient": {floats: true, kernel: "scatter_add", run: maxPoolGradient}, "max_pool_select": {kernel: "take", run: maxPoolSelect},
		"softmax_cross_entropy": crossEntropy("softmax_cross_entropy"), "softmax_cross_entropy_gradient": crossEntropy("softmax_cross_entropy_gradient"),
		"linear": {run: linear}, "linear_gradient": {floats: true, kernel: "relu_gradient", scratch: linearGradientScratch, run: linearGradient},
	}
}
