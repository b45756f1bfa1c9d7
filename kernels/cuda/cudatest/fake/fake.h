// The state of the fake driver, and what its parts share.
#pragma once
#include "weft.h"
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <vector>

// Results, as cuda.h numbers them.
enum Result {
  success = 0, invalidValue = 1, outOfMemory = 2, notInitialized = 3, deinitialized = 4, noDevice = 100, invalidDevice = 101, invalidContext = 201,
  invalidPTX = 218, invalidHandle = 400, notSupported = 801, captureUnsupported = 900, captureInvalidated = 901, captureIsolation = 905,
  notFound = 500, notReady = 600, illegalAddress = 700,
  peerAccessUnsupported = 217, peerAccessAlreadyEnabled = 704, tooManyPeers = 711, launchOutOfResources = 701, launchFailed = 719,
};

// Device memory is in host memory, at other addresses, so that a device address cannot be used on the host.
const uint64 addressBase = 1ULL << 56;
const uint64 addressesOfDevice = 1ULL << 50;
const uint64 guard = 256; // bytes on both sides of an allocation, checked when it is freed and after kernels
const uint8 poison = 0xfb;

// A pool keeps what is freed until it is trimmed.
struct Pool {
  int device;
  std::vector<int> access{}; // of other devices
  uint64 used = 0, reserved = 0, mostUsed = 0, mostReserved = 0;
};

// Aligned makes memory begin where that of a device does, which kernels access by packs.
template <class T> struct Aligned {
  typedef T value_type;
  T *allocate(size_t n) { return (T *)::operator new(n * sizeof(T), std::align_val_t(guard)); }
  void deallocate(T *p, size_t) { ::operator delete(p, std::align_val_t(guard)); }
  bool operator==(const Aligned &) const { return true; }
  bool operator!=(const Aligned &) const { return false; }
};

struct Block {
  std::vector<uint8, Aligned<uint8>> memory;
  uint64 address, size;
  Pool *pool = nullptr;
  std::atomic<bool> there{true}; // in the order of the stream on which it was taken from its pool
  uint8 *begin() { return memory.data() + guard; }
  bool intact() const;
};

struct Device {
  int number;
  std::mutex mutex;
  std::map<uint64, std::shared_ptr<Block>> blocks; // by address
  uint64 next, inUse = 0, limit = 4ULL << 30; // in use: also what pools keep
  std::atomic<int> lost{0}; // the result of all further calls
  int retained = 0;
  std::vector<Device *> peers; // that it reaches

  std::shared_ptr<Block> find(uint64 address, uint64 size);
};

// An event is complete when its moment is; recording it again makes a new moment.
struct Moment {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
};

struct Event { std::shared_ptr<Moment> moment; };

// A graph is the work of a stream that was captured.
typedef std::vector<std::function<void()>> Graph;

struct Stream {
  Device *device;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> queue;
  bool closed = false, busy = false;
  std::shared_ptr<Graph> capture; // takes work while there is one
  bool invalidated = false;       // something was called that a capture cannot have
  std::thread worker;
  void push(std::function<void()> work);
  void run();
};

// What tests ask for by weftFakeSet, and see by weftFakeGet.
struct Controls {
  std::atomic<long long> devices{2}, version{12040}, init{0}, killed{0};
  // At the n-th from now.
  std::atomic<long long> allocationFails{0}, allocationFailures{0}, hostAllocationFails{0}, launchFails{0}, launchLoses{0}, copyLoses{0},
    blasFails{0}, graphFails{0}, noGraphs{0}, peerFails{0}, accessFails{0}, loadFails{0};
  std::atomic<long long> copyMicroseconds{0}, computeCapability{90}, lastCapability{0};
  std::atomic<long long> ltDevices{-1}, ltVersion{120400}, dnnVersion{90600}, dnnCUDA{11080}, dnnDevices{-1}, dnnCreateFails{0},
    dnnChooseFails{0}, dnnFails{0}, dnnRefuses{0}, ltRefuses{0}, dnnIncomplete{0}, noPools{0}, noPeers{0}, modulesTogether{0},
    modulesLoading{0}, blasStatus{13}, compilerVersion{0}, compileFails{0}, staticShared{0};
  void restart() {
    for (auto c : {&dnnCreateFails, &dnnChooseFails, &dnnFails, &dnnRefuses, &ltRefuses}) *c = 0;
    dnnDevices = ltDevices = -1;
    for (auto c : {&killed, &allocationFails, &allocationFailures, &hostAllocationFails, &launchFails, &launchLoses, &copyLoses,
                   &blasFails, &graphFails, &noGraphs, &peerFails, &accessFails, &loadFails, &copyMicroseconds, &compileFails,
                   &staticShared, &lastCapability}) *c = 0;
    computeCapability = 90, version = 12040, blasStatus = 13;
  }
  std::atomic<long long> allocations{0}, launches{0}, copiesIn{0}, copiesOut{0}, copiesOver{0}, products{0}, live{0}, hostLive{0},
    streams{0}, events{0}, modules{0}, graphs{0}, replays{0}, chains{0}, convolutions{0}, affineProducts{0}, dnnHandles{0}, pools{0},
    keepingPools{0}, asyncFrees{0}, peers{0}, eventCalls{0}, compiled{0}, chainShared{0};
};

// Tf32 is a float32 that is read rounded to 10 bits behind the point.
struct Tf32 { float number; };
template <> struct Traits<Tf32> { typedef float computed; };
inline float load(const Tf32 *p) { return singleOf((bitsOf(p->number) + 0xfff + (bitsOf(p->number) >> 13 & 1)) & ~0x1fffu); }
inline void store(Tf32 *p, float v) { p->number = v; }

extern Controls controls;
extern thread_local Device *current;
extern thread_local const char *kernel; // that the thread of the host runs

bool countdown(std::atomic<long long> &counter);
Device *deviceAt(uint64 address);
uint8 *reach(Device *d, uint64 address, uint64 size, std::shared_ptr<Block> *held);
std::shared_ptr<Stream> streamOf(void *handle);
int allocate(Device *d, uint64 bytes, Pool *pool, std::shared_ptr<Block> *block);
int release(Device *d, uint64 p);
void grant(Pool *pool, int device);
uint8 *stackEnd(); // of the thread that is emulated: an overflow changes what is there
bool runBlock(Place of, const std::function<void()> &body);
void launch(const std::shared_ptr<Stream> &s, const std::string &entry, void (*body)(const Arguments &), Place grid, unsigned shared, const Arguments &a);

// A kernel that the fake NVRTC has compiled.
struct Compiled;
const Compiled *compiledOf(const std::string &image, const std::string &name);
int launchCompiled(const std::shared_ptr<Stream> &s, const Compiled *k, const unsigned *blocks, const unsigned *threads, size_t shared, void **arguments);
