// SLEEF's vector functions of float32 numbers: SLEEF FUNCTION COUNT SECONDS. The numbers are those of unary.py. It takes the
// functions of the widest vectors that the processor has, in one thread and in two, and tells the faster: the library has vectors alone,
// a program that uses it brings its own loop and threads.
#include <immintrin.h>
#include <sleef.h>

#include <algorithm>
#include <string>

#include "timing.hpp"

#ifdef __AVX512F__
using Vector = __m512;
#define SLEEF(name) [](Vector v) { return Sleef_##name##f16_u10avx512f(v); }
static Vector load(const float* p) { return _mm512_loadu_ps(p); }
static void store(float* p, Vector v) { _mm512_storeu_ps(p, v); }
#else
using Vector = __m256;
#define SLEEF(name) [](Vector v) { return Sleef_##name##f8_u10avx2(v); }
static Vector load(const float* p) { return _mm256_loadu_ps(p); }
static void store(float* p, Vector v) { _mm256_storeu_ps(p, v); }
#endif

constexpr long width = sizeof(Vector) / sizeof(float);

template <class Function>
static double measure(Function function, long count, double seconds) {
  std::vector<float> x(count + width), y(count + width);
  for (long i = 0; i < count; i++) x[i] = 0.1f + 3.f * i / count;
  auto serial = [&] {
    for (long i = 0; i < count; i += width) store(&y[i], function(load(&x[i])));
  };
  auto parallel = [&] {
#pragma omp parallel for num_threads(2)
    for (long i = 0; i < count; i += width) store(&y[i], function(load(&x[i])));
  };
  const double one = peer::mean_nanoseconds(seconds / 2, serial);
  return std::min(one, peer::mean_nanoseconds(seconds / 2, parallel));
}

static double measure_named(const std::string& name, long count, double seconds) {
  if (name == "exp") return measure(SLEEF(exp), count, seconds);
  if (name == "log") return measure(SLEEF(log), count, seconds);
  if (name == "tanh") return measure(SLEEF(tanh), count, seconds);
  if (name == "erf") return measure(SLEEF(erf), count, seconds);
  throw std::invalid_argument("SLEEF has no function " + name);
}

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s FUNCTION COUNT SECONDS\n", argv[0]);
    return 2;
  }
  std::printf("ns/op %.1f\n", measure_named(argv[1], std::atol(argv[2]), std::atof(argv[3])));
  return 0;
}
