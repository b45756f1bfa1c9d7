package cuda

// recipes are those of the operators that are more than one launch.
var recipes map[string]recipe

func init() {
	recipes = map[string]recipe{
		"sgd": update("sgd"), "adam": update("adam"), "rmsprop": update("rmsprop"),
		"update": inPlace("update"), "rescale": inPlace("rescale"), "running_average": inPlace("running_average"),
	}
}
