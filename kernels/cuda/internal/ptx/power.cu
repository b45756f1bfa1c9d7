#include "magnitude.cuh"

// Norms of any order but 0, 1, 2, and the infinities.

#define POWER(op, T) NORM(power_norm, T, double, true)
INTEGERS(POWER, ) POWER(, bool)
#define POWER_OF_FLOAT(op, T) NORM(power_norm, T, T, true)
FLOATS(POWER_OF_FLOAT, )
NORM(power_norm, complex64, float, true) NORM(power_norm, complex128, double, true)
