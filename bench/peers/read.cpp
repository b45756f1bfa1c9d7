// Reads COUNT float32 numbers with two threads, as fast as the memory gives them, again and again for SECONDS: READ COUNT SECONDS.
// Prints one line, "ns/op" and the nanoseconds of a pass.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <sys/mman.h>

#include "timing.hpp"

using Vector = float __attribute__((vector_size(64), aligned(4)));

static float sum(const float *from, const float *end) {
    Vector a{}, b{}, c{}, d{};
    for (; from + 64 <= end; from += 64) {
        a += *reinterpret_cast<const Vector *>(from);
        b += *reinterpret_cast<const Vector *>(from + 16);
        c += *reinterpret_cast<const Vector *>(from + 32);
        d += *reinterpret_cast<const Vector *>(from + 48);
    }
    a += b + c + d;
    float total = 0;
    for (int i = 0; i < 16; i++) total += a[i];
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
