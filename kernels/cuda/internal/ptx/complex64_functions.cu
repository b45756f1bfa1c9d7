#include "complex.cuh"

FUNCTIONS(complex64)
