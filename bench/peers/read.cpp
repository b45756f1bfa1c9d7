// Reads COUNT float32 numbers with two threads, as fast as the memory gives them, again and again for SECONDS: READ COUNT SECONDS.
// Prints one line, "ns/op" and the nanoseconds of a pass.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <sys/mman.h>

#include "timing.hpp"

// Compilers make wider vectors than the processor's of instructions that go through memory.
#ifdef __AVX512F__
constexpr int width = 16;
#else
constexpr int width = 8;
#endif
constexpr int streams = 4, unrolled = 4;
using Vector = float __attribute__((vector_size(4 * width), aligned(4)));

// Each part of the memory is fetched ahead by itself: some processors do not read one as fast as it is to be had.
static float sum(const float *from, const float *end) {
    const size_t each = (end - from) / streams / (width * unrolled) * (width * unrolled);
    Vector sums[streams][unrolled] = {};
    for (size_t i = 0; i < each; i += width * unrolled) {
        for (int part = 0; part < streams; part++) {
            for (int j = 0; j < unrolled; j++) sums[part][j] += *reinterpret_cast<const Vector *>(from + part * each + i + j * width);
        }
    }
    for (from += streams * each; from + width <= end; from += width) sums[0][0] += *reinterpret_cast<const Vector *>(from);
    float total = 0;
    for (auto &part : sums) {
        for (auto &vector : part) {
            for (int i = 0; i < width; i++) total += vector[i];
        }
    }
    return total;
}

int main(int, char **arguments) {
    const size_t count = std::strtoull(arguments[1], nullptr, 10), bytes = (count * sizeof(float) + (2 << 20)) & -(2 << 20);
    const double seconds = std::atof(arguments[2]);
    auto *x = static_cast<float *>(std::aligned_alloc(2 << 20, bytes));
    madvise(x, bytes, MADV_HUGEPAGE);
    for (size_t i = 0; i < count; i++) x[i] = i % 7;
    std::atomic<long> started{0}, finished{0};
    std::atomic<float> result{0};
    std::thread helper([&] {
        for (long pass = 1;; pass++) {
            while (started.load(std::memory_order_acquire) < pass) {
                if (started.load() < 0) return;
            }
            result = sum(x + count / 2, x + count);
            finished.store(pass, std::memory_order_release);
        }
    });
    long pass = 0;
    const double nanoseconds = peer::mean_nanoseconds(seconds, [&] {
        started.store(++pass, std::memory_order_release);
        result = sum(x, x + count / 2);
        while (finished.load(std::memory_order_acquire) < pass) {
        }
    });
    started = -1;
    helper.join();
    std::printf("ns/op %g\n", nanoseconds);
}
