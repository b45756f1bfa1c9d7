// Highway's vqsort in one thread: VQSORT DTYPE COUNT ORDER SECONDS. Copies COUNT elements and sorts them, again and again for
// SECONDS, and prints one line, "ns/op" and the mean of a round. ORDER is random, sorted or equal.
#include <hwy/contrib/sort/vqsort.h>

#include <algorithm>
#include <limits>
#include <random>
#include <type_traits>

#include "timing.hpp"

template <class T>
static std::vector<T> elements(size_t count, const std::string& order) {
  std::mt19937_64 bits(1);
  std::normal_distribution<double> normal(0, 1000);
  std::vector<T> x(count, T(7));
  if (order == "equal") return x;
  for (T& v : x) v = std::is_floating_point<T>::value ? T(normal(bits)) : T(bits());
  if (order == "sorted") std::sort(x.begin(), x.end());
  return x;
}

template <class T>
static double measure(size_t count, const std::string& order, double seconds) {
  const std::vector<T> from = elements<T>(count, order);
  std::vector<T> to(count);
  hwy::Sorter sort;
  const double nanoseconds = peer::mean_nanoseconds(seconds, [&] {
    std::copy(from.begin(), from.end(), to.begin());
    sort(to.data(), count, hwy::SortAscending());
  });
  if (!std::is_sorted(to.begin(), to.end())) throw std::runtime_error("vqsort has not sorted");
  return nanoseconds;
}

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: %s DTYPE COUNT ORDER SECONDS\n", argv[0]);
    return 2;
  }
  const std::string dtype = argv[1], order = argv[3];
  const size_t count = std::strtoull(argv[2], nullptr, 10);
  const double seconds = std::atof(argv[4]);
  double nanoseconds = dtype == "float32" ? measure<float>(count, order, seconds)
                     : dtype == "float64" ? measure<double>(count, order, seconds)
                     : dtype == "int32"   ? measure<int32_t>(count, order, seconds)
                                          : measure<int64_t>(count, order, seconds);
  std::printf("ns/op %.1f\n", nanoseconds);
  return 0;
}
