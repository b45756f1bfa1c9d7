// The first touch of memory that calloc has just given: CALLOC firsttouch OPERATIONS WORKERS. Each operation gets 256 MiB, writes a
// byte to every page and gives them back; it prints one line, "ns/op" and the nanoseconds of an operation.
#include <chrono>
#include <cstdio>
#include <cstdlib>

int main(int, char** argv) {
  const size_t bytes = size_t(256) << 20;
  const long operations = std::atol(argv[2]);
  auto start = std::chrono::steady_clock::now();
  for (long i = 0; i < operations; i++) {
    volatile char* memory = static_cast<char*>(std::calloc(bytes, 1));
    if (!memory) return 1;
    for (size_t at = 0; at < bytes; at += 4096) memory[at] = 1;
    std::free(const_cast<char*>(memory));
  }
  std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  std::printf("ns/op %g\n", took.count() / operations);
}
