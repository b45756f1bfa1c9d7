#include "interpreter.cuh"

// Chains of arithmetic.

CHAIN_KERNEL(arithmetic, float32, 4, false)
CHAIN_KERNEL(arithmetic, float64, 2, false)
CHAIN_KERNEL(arithmetic, int64, 2, false)
