#include "magnitude.cuh"

// Norms of the orders 0, 1, 2, and the infinities.

#define OF_INTEGER(op, T) NORM(norm, T, double, false)
INTEGERS(OF_INTEGER, ) OF_INTEGER(, bool)
#define OF_FLOAT(op, T) NORM(norm, T, T, false)
FLOATS(OF_FLOAT, )
NORM(norm, complex64, float, false) NORM(norm, complex128, double, false)
