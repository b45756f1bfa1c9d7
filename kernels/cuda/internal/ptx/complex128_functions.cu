#include "complex.cuh"

FUNCTIONS(complex128)
