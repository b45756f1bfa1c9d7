// A stand-in for libcuda.so.1 in host memory. Streams have threads of their own, so that work is as asynchronous as on a device.
#include "fake.h"

Controls controls;
thread_local Device *current;

// What threads use is never destroyed: the process may end while they run.
static auto &mutex = *new std::mutex;
static bool initialized;
static auto &devices = *new std::vector<std::unique_ptr<Device>>;
static auto &streams = *new std::map<void *, std::shared_ptr<Stream>>;
static auto &events = *new std::map<void *, std::unique_ptr<Event>>;
static auto &modules = *new std::map<void *, std::string>;
static auto &hostBlocks = *new std::map<void *, std::vector<uint8>>;
static uint64 handles = 0x1000;

static void *newHandle() { return (void *)(handles += 16); }

bool countdown(std::atomic<long long> &counter) { return counter > 0 && --counter == 0; }

bool Block::intact() const {
  for (uint64 i = 0; i < guard; i++)
    if (memory[i] != poison || memory[memory.size() - 1 - i] != poison) return false;
  return true;
}

std::shared_ptr<Block> Device::find(uint64 address, uint64 size) {
  std::lock_guard<std::mutex> lock(mutex);
  auto i = blocks.upper_bound(address);
  if (i == blocks.begin()) return nullptr;
  auto block = (--i)->second;
  return block->there && address - block->address <= block->size && size <= block->size - (address - block->address) ? block : nullptr;
}

Device *deviceAt(uint64 address) {
  uint64 number = address < addressBase ? ~0ULL : (address - addressBase) / addressesOfDevice;
  return number < devices.size() ? devices[number].get() : nullptr;
}

// reach returns the host memory of a device address; nullptr if there is none.
uint8 *reach(Device *d, uint64 address, uint64 size, std::shared_ptr<Block> *held) {
  if (!d) return nullptr;
  *held = d->find(address, size);
  return *held ? (*held)->begin() + (address - (*held)->address) : nullptr;
}

// unusable returns why no call is possible, or success.
static int unusable() {
  if (controls.killed) return deinitialized;
  if (!initialized) return notInitialized;
  if (!current) return invalidContext;
  return current->lost;
}

#define CHECK                         \
  if (int r = unusable()) return r;
#define STARTED                                    \
  if (controls.killed) return deinitialized;       \
  if (!initialized) return notInitialized;

std::shared_ptr<Stream> streamOf(void *handle) {
  std::lock_guard<std::mutex> lock(mutex);
  auto i = streams.find(handle);
  return i == streams.end() ? nullptr : i->second;
}

static Event *eventOf(void *handle) {
  std::lock_guard<std::mutex> lock(mutex);
  auto i = events.find(handle);
  return i == events.end() ? nullptr : i->second.get();
}

void Stream::push(std::function<void()> work) {
  std::lock_guard<std::mutex> lock(mutex);
  if (capture) {
    capture->push_back(std::move(work));
    return;
  }
  queue.push_back(std::move(work));
  changed.notify_all();
}

void Stream::run() {
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    changed.wait(lock, [&] { return closed || !queue.empty(); });
    if (queue.empty()) return;
    auto work = std::move(queue.front());
    queue.pop_front();
    busy = true;
    lock.unlock();
    work();
    lock.lock();
    busy = false;
    changed.notify_all();
  }
}

static void drain(const std::shared_ptr<Stream> &s) {
  std::unique_lock<std::mutex> lock(s->mutex);
  s->changed.wait(lock, [&] { return s->queue.empty() && !s->busy; });
}

// lacksMemory tells whether an allocation is one of those that are to fail. The caller holds the lock of the device.
static bool lacksMemory() {
  if (controls.allocationFails != 1) return countdown(controls.allocationFails);
  if (controls.allocationFailures > 1) controls.allocationFailures--;
  else controls.allocationFails = 0;
  return true;
}

// allocate makes a block, of a pool if there is one, which first hands out what it keeps.
int allocate(Device *d, uint64 bytes, Pool *pool, std::shared_ptr<Block> *made) {
  if (bytes == 0) return invalidValue;
  std::lock_guard<std::mutex> lock(d->mutex);
  uint64 kept = pool ? pool->reserved - pool->used : 0, fresh = bytes > kept ? bytes - kept : 0;
  if (lacksMemory() || fresh > d->limit || d->inUse > d->limit - fresh) return outOfMemory;
  auto block = std::make_shared<Block>();
  block->memory.assign(bytes + 2 * guard, poison);
  block->address = d->next;
  block->size = bytes;
  block->pool = pool;
  block->there = !pool;
  d->next += (bytes + 4096 + 255) / 256 * 256;
  d->inUse += fresh;
  d->blocks[block->address] = block;
  if (pool) {
    pool->mostUsed = std::max(pool->mostUsed, pool->used += bytes);
    pool->mostReserved = std::max(pool->mostReserved, pool->reserved += fresh);
  }
  controls.allocations++;
  controls.live++;
  *made = block;
  return success;
}

// release ends a block: what uses it after that loses the device.
int release(Device *d, uint64 p) {
  std::lock_guard<std::mutex> lock(d->mutex);
  auto i = d->blocks.find(p);
  if (i == d->blocks.end() || !i->second->intact()) return invalidValue;
  auto block = i->second;
  if (block->pool) block->pool->used -= block->size;
  else d->inUse -= block->size;
  d->blocks.erase(i);
  controls.live--;
  return success;
}

// grant lets a device reach the memory of a pool.
void grant(Pool *pool, int device) {
  std::lock_guard<std::mutex> lock(mutex);
  pool->access.push_back(device);
}

extern "C" {

void weftFakeSet(const char *name, long long value);
long long weftFakeGet(const char *name);

int cuInit(unsigned flags) {
  std::lock_guard<std::mutex> lock(mutex);
  if (controls.killed) return deinitialized;
  if (flags) return invalidValue;
  if (controls.init) return controls.init;
  const char *visible = getenv("CUDA_VISIBLE_DEVICES");
  if (controls.devices == 0 || (visible && (!*visible || !strcmp(visible, "-1")))) return noDevice;
  while ((long long)devices.size() < controls.devices) {
    devices.emplace_back(new Device);
    devices.back()->number = devices.size() - 1;
    devices.back()->next = addressBase + (devices.size() - 1) * addressesOfDevice + 4096;
  }
  initialized = true;
  return success;
}

int cuDriverGetVersion(int *version) {
  *version = controls.version;
  return success;
}

int cuDeviceGetCount(int *count) {
  STARTED
  *count = devices.size();
  return success;
}

int cuDeviceGet(int *device, int ordinal) {
  STARTED
  *device = ordinal;
  return ordinal >= 0 && ordinal < (int)devices.size() ? success : invalidDevice;
}

int cuDeviceGetName(char *name, int length, int device) {
  STARTED
  strncpy(name, "Fake GPU", length);
  return success;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  STARTED
  bool another = controls.lastCapability && device == (int)devices.size() - 1;
  int capability = another ? controls.lastCapability : controls.computeCapability;
  *value = attribute == 1 ? 1024 : attribute == 16 ? 4 : attribute == 75 ? capability / 10 : attribute == 76 ? capability % 10 : attribute == 115 ? !controls.noPools : 0;
  return success;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  STARTED
  *bytes = devices[device]->limit;
  return success;
}

int cuDevicePrimaryCtxRetain(void **context, int device) {
  STARTED
  devices[device]->retained++;
  *context = devices[device].get();
  return success;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  STARTED
  devices[device]->retained--;
  return success;
}

int cuCtxSetCurrent(void *context) {
  STARTED
  current = (Device *)context;
  return success;
}

int cuPointerGetAttribute(int *ordinal, int attribute, uint64 p) {
  CHECK
  Device *d = deviceAt(p);
  if (attribute != 9 || !d || !d->find(p, 0)) return invalidValue;
  *ordinal = d->number;
  return success;
}

int cuDeviceCanAccessPeer(int *can, int device, int peer) {
  STARTED
  *can = !controls.noPeers && device != peer;
  return success;
}

int cuCtxEnablePeerAccess(Device *peer, unsigned flags) {
  CHECK
  if (flags || controls.noPeers || peer == current) return peerAccessUnsupported;
  if (countdown(controls.peerFails)) return tooManyPeers;
  std::lock_guard<std::mutex> lock(mutex);
  auto &peers = current->peers;
  if (std::find(peers.begin(), peers.end(), peer) != peers.end()) return peerAccessAlreadyEnabled;
  peers.push_back(peer);
  controls.peers++;
  return success;
}

int cuMemGetInfo_v2(size_t *available, size_t *total) {
  CHECK
  std::lock_guard<std::mutex> lock(current->mutex);
  *total = current->limit;
  *available = current->limit > current->inUse ? current->limit - current->inUse : 0;
  return success;
}

int cuMemAlloc_v2(uint64 *p, size_t bytes) {
  CHECK
  std::shared_ptr<Block> block;
  int r = allocate(current, bytes, nullptr, &block);
  if (r == success) *p = block->address;
  return r;
}

int cuMemFree_v2(uint64 p) {
  CHECK
  std::vector<std::shared_ptr<Stream>> busy;
  {
    std::lock_guard<std::mutex> lock(mutex);
    for (auto &s : streams)
      if (s.second->device == current) busy.push_back(s.second);
  }
  for (auto &s : busy) drain(s);
  return release(current, p);
}

int cuMemHostAlloc(void **p, size_t bytes, unsigned) {
  CHECK
  if (countdown(controls.hostAllocationFails)) return outOfMemory;
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<uint8> memory(bytes + 4096, poison);
  *p = (void *)(((uint64)memory.data() + 4095) / 4096 * 4096);
  void *key = *p;
  hostBlocks[key] = std::move(memory);
  controls.hostLive++;
  return success;
}

int cuMemFreeHost(void *p) {
  CHECK
  std::lock_guard<std::mutex> lock(mutex);
  controls.hostLive--;
  return hostBlocks.erase(p) ? success : invalidValue;
}

int cuStreamCreate(void **handle, unsigned) {
  CHECK
  std::lock_guard<std::mutex> lock(mutex);
  auto s = std::make_shared<Stream>();
  s->device = current;
  Stream *stream = s.get();
  s->worker = std::thread([stream] { stream->run(); });
  *handle = newHandle();
  streams[*handle] = std::move(s);
  controls.streams++;
  return success;
}

int cuStreamDestroy_v2(void *handle) {
  CHECK
  std::shared_ptr<Stream> s;
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto i = streams.find(handle);
    if (i == streams.end()) return invalidHandle;
    s = std::move(i->second);
    streams.erase(i);
  }
  {
    std::lock_guard<std::mutex> lock(s->mutex);
    s->closed = true;
    s->changed.notify_all();
  }
  s->worker.join();
  controls.streams--;
  return success;
}

// refusesCapture tells whether s keeps its work, of which there then is no graph: what is called cannot be kept.
static bool refusesCapture(const std::shared_ptr<Stream> &s) {
  if (!s->capture) return false;
  s->invalidated = true;
  return true;
}

int cuStreamSynchronize(void *handle) {
  CHECK
  auto s = streamOf(handle);
  if (!s) return invalidHandle;
  if (refusesCapture(s)) return captureUnsupported;
  drain(s);
  return s->device->lost;
}

int cuEventCreate(void **handle, unsigned) {
  CHECK
  std::lock_guard<std::mutex> lock(mutex);
  *handle = newHandle();
  events[*handle] = std::make_unique<Event>();
  controls.events++;
  return success;
}

int cuEventDestroy_v2(void *handle) {
  CHECK
  std::lock_guard<std::mutex> lock(mutex);
  controls.events--;
  return events.erase(handle) ? success : invalidHandle;
}

int cuEventRecord(void *handle, void *stream) {
  CHECK
  Event *e = eventOf(handle);
  auto s = streamOf(stream);
  if (!e || !s) return invalidHandle;
  if (refusesCapture(s)) return captureUnsupported;
  auto moment = std::make_shared<Moment>();
  e->moment = moment;
  s->push([moment] {
    std::lock_guard<std::mutex> lock(moment->mutex);
    moment->done = true;
    moment->changed.notify_all();
  });
  return success;
}

static void await(const std::shared_ptr<Moment> &moment) {
  if (!moment) return;
  std::unique_lock<std::mutex> lock(moment->mutex);
  moment->changed.wait(lock, [&] { return moment->done; });
}

int cuStreamWaitEvent(void *stream, void *handle, unsigned) {
  CHECK
  Event *e = eventOf(handle);
  auto s = streamOf(stream);
  if (!e || !s) return invalidHandle;
  if (refusesCapture(s)) return captureIsolation; // an event of other work
  auto moment = e->moment;
  s->push([moment] { await(moment); });
  return success;
}

int cuEventSynchronize(void *handle) {
  CHECK
  controls.eventCalls++;
  Event *e = eventOf(handle);
  if (!e) return invalidHandle;
  await(e->moment);
  return current->lost;
}

int cuEventQuery(void *handle) {
  CHECK
  controls.eventCalls++;
  Event *e = eventOf(handle);
  if (!e) return invalidHandle;
  if (!e->moment) return success;
  std::lock_guard<std::mutex> lock(e->moment->mutex);
  return e->moment->done ? success : notReady;
}

// move enqueues a copy. An address that is not there loses the device, when the copy is due.
static int move(const std::shared_ptr<Stream> &s, std::function<uint8 *(std::shared_ptr<Block> *)> to, std::function<uint8 *(std::shared_ptr<Block> *)> from, size_t bytes) {
  if (!s) return invalidHandle;
  Device *d = s->device;
  bool loses = countdown(controls.copyLoses);
  s->push([=] {
    if (d->lost) return;
    if (controls.copyMicroseconds > 0) std::this_thread::sleep_for(std::chrono::microseconds(controls.copyMicroseconds));
    std::shared_ptr<Block> held[2];
    uint8 *dst = to(&held[0]), *src = from(&held[1]);
    if (!dst || !src || loses) {
      d->lost = illegalAddress;
      return;
    }
    memmove(dst, src, bytes);
  });
  return success;
}

// onDevice is memory that a stream reaches: of its device, and of peers.
static std::function<uint8 *(std::shared_ptr<Block> *)> onDevice(const std::shared_ptr<Stream> &s, uint64 address, size_t bytes) {
  Device *from = s ? s->device : nullptr, *d = deviceAt(address);
  return [=](std::shared_ptr<Block> *held) -> uint8 * {
    uint8 *p = reach(d, address, bytes, held);
    if (d == from || !p) return p;
    std::lock_guard<std::mutex> lock(mutex);
    auto &peers = from->peers;
    if (std::find(peers.begin(), peers.end(), d) == peers.end()) return nullptr;
    if (auto pool = (*held)->pool)
      if (std::find(pool->access.begin(), pool->access.end(), from->number) == pool->access.end()) return nullptr;
    return p;
  };
}

// isPinned tells whether host memory is page-locked: then copies are as asynchronous as work on the device.
static bool isPinned(const void *p) {
  std::lock_guard<std::mutex> lock(mutex);
  auto i = hostBlocks.upper_bound((void *)p);
  return i != hostBlocks.begin() && (--i, (uint8 *)p < i->second.data() + i->second.size());
}

int cuMemcpyHtoDAsync_v2(uint64 dst, const void *src, size_t bytes, void *stream) {
  CHECK
  controls.copiesIn++;
  auto s = streamOf(stream);
  if (s && !isPinned(src) && refusesCapture(s)) return captureUnsupported;
  if (isPinned(src)) return move(s, onDevice(s, dst, bytes), [=](std::shared_ptr<Block> *) { return (uint8 *)src; }, bytes);
  auto staged = std::make_shared<std::vector<uint8>>((const uint8 *)src, (const uint8 *)src + bytes);
  return move(s, onDevice(s, dst, bytes), [=](std::shared_ptr<Block> *) { return staged->data(); }, bytes);
}

int cuMemcpyDtoHAsync_v2(void *dst, uint64 src, size_t bytes, void *stream) {
  CHECK
  controls.copiesOut++;
  auto s = streamOf(stream);
  if (s && !isPinned(dst) && refusesCapture(s)) return captureUnsupported;
  int r = move(s, [=](std::shared_ptr<Block> *) { return (uint8 *)dst; }, onDevice(s, src, bytes), bytes);
  if (r == success && !isPinned(dst)) {
    drain(s);
    r = s->device->lost;
  }
  return r;
}

int cuMemcpyAsync(uint64 dst, uint64 src, size_t bytes, void *stream) {
  CHECK
  controls.copiesOver++;
  auto s = streamOf(stream);
  return move(s, onDevice(s, dst, bytes), onDevice(s, src, bytes), bytes);
}

int cuMemsetD8Async(uint64 dst, unsigned char value, size_t bytes, void *stream) {
  CHECK
  auto s = streamOf(stream);
  if (!s) return invalidHandle;
  Device *d = s->device;
  s->push([=] {
    std::shared_ptr<Block> held;
    uint8 *p = reach(d, dst, bytes, &held);
    if (d->lost) return;
    if (p) memset(p, value, bytes);
    else d->lost = illegalAddress;
  });
  return success;
}

int cuModuleLoadData(void **handle, const void *image) {
  CHECK
  if (!strstr((const char *)image, ".entry") || countdown(controls.loadFails)) return invalidPTX;
  std::unique_lock<std::mutex> lock(mutex);
  static auto &arrived = *new std::condition_variable;
  controls.modulesLoading++;
  arrived.notify_all();
  bool together = arrived.wait_for(lock, std::chrono::seconds(20), [] { return controls.modulesLoading >= controls.modulesTogether; });
  if (!together) return outOfMemory;
  *handle = newHandle();
  modules[*handle] = (const char *)image;
  controls.modules++;
  return success;
}

typedef void (*Body)(const Arguments &);

const unsigned plainShared = 48 << 10, sharedOfABlock = 227 << 10; // bytes

struct Function {
  std::string name;
  Body body;
  const Compiled *compiled;
  std::atomic<unsigned> mostShared;
};

static std::map<std::string, Body> &bodies() {
  static auto &all = *new std::map<std::string, Body>;
  return all;
}

int cuModuleGetFunction(void **handle, void *module, const char *name) {
  CHECK
  std::lock_guard<std::mutex> lock(mutex);
  auto m = modules.find(module);
  if (m == modules.end()) return invalidHandle;
  if (auto compiled = compiledOf(m->second, name)) {
    *handle = new Function{name, nullptr, compiled, plainShared - (unsigned)controls.staticShared};
    return success;
  }
  auto body = bodies().find(name);
  if (m->second.find(std::string(".entry ") + name + "(") == std::string::npos || body == bodies().end()) return notFound;
  *handle = new Function{name, body->second, nullptr, plainShared};
  return success;
}

int cuFuncSetAttribute(Function *f, int attribute, int value) {
  CHECK
  if (attribute != 8 || value < 0 || value > (int)sharedOfABlock) return invalidValue;
  f->mostShared = value;
  return success;
}

int cuLaunchKernel(Function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream, void **arguments, void **) {
  CHECK
  controls.launches++;
  if (gx == 0 || gx > 2147483647u || gy == 0 || gy > 65535 || gz == 0 || gz > 65535 || bx * by * bz == 0 || bx * by * bz > 1024 || bz > 64 || shared > f->mostShared) return invalidValue;
  if (countdown(controls.launchFails)) return launchOutOfResources;
  auto s = streamOf(stream);
  if (!s) return invalidHandle;
  unsigned blocks[] = {gx, gy, gz}, threads[] = {bx, by, bz};
  if (f->compiled) return launchCompiled(s, f->compiled, blocks, threads, shared, arguments);
  if (gy != 1 || gz != 1 || by != 1 || bz != 1) return invalidValue;
  launch(s, f->name, f->body, Place{0, bx, 0, gx}, shared, *(const Arguments *)arguments[0]);
  return success;
}
}

Registered::Registered(const char *name, Body body) { bodies()[name] = body; }

void weftFakeSet(const char *name, long long value) {
#define CONTROL(n) if (!strcmp(name, #n)) { controls.n = value; return; }
  CONTROL(devices) CONTROL(version) CONTROL(init) CONTROL(killed) CONTROL(allocationFails) CONTROL(allocationFailures) CONTROL(hostAllocationFails) CONTROL(launchFails)
  CONTROL(graphFails) CONTROL(noGraphs) CONTROL(noPools) CONTROL(blasStatus) CONTROL(modulesTogether) CONTROL(noPeers) CONTROL(peerFails) CONTROL(accessFails) CONTROL(loadFails) CONTROL(launchLoses) CONTROL(copyLoses) CONTROL(blasFails) CONTROL(copyMicroseconds) CONTROL(computeCapability) CONTROL(lastCapability)
  CONTROL(dnnVersion) CONTROL(dnnCUDA) CONTROL(dnnDevices) CONTROL(ltDevices) CONTROL(ltVersion) CONTROL(dnnCreateFails) CONTROL(dnnChooseFails) CONTROL(dnnFails) CONTROL(dnnRefuses) CONTROL(ltRefuses) CONTROL(dnnIncomplete) CONTROL(compilerVersion) CONTROL(staticShared) CONTROL(compileFails)
  if (!strcmp(name, "memory")) {
    for (auto &d : devices) d->limit = value;
    return;
  }
  if (!strcmp(name, "restart")) {
    controls.restart();
    for (auto &d : devices) {
      d->limit = Device().limit;
      d->lost = 0;
    }
    return;
  }
  abort();
}

long long weftFakeGet(const char *name) {
#define COUNTER(n) if (!strcmp(name, #n)) return controls.n;
  COUNTER(allocations) COUNTER(launches) COUNTER(copiesIn) COUNTER(copiesOut) COUNTER(copiesOver) COUNTER(products) COUNTER(live)
  COUNTER(hostLive) COUNTER(streams) COUNTER(events) COUNTER(modules) COUNTER(graphs) COUNTER(replays) COUNTER(chains)
  COUNTER(allocationFails) COUNTER(convolutions) COUNTER(affineProducts) COUNTER(dnnHandles) COUNTER(pools) COUNTER(keepingPools) COUNTER(asyncFrees) COUNTER(peers) COUNTER(eventCalls) COUNTER(compiled) COUNTER(chainShared)
  abort();
}
