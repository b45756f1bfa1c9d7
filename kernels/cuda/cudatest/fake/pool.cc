// Pools of memory of the fake driver: what is freed while a stream has work for it loses the device.
#include "fake.h"

#define CHECK                                              \
  if (controls.killed) return deinitialized;               \
  if (!current) return invalidContext;                     \
  if (int r = current->lost) return r;

struct Properties { int allocation, handles, location, device; };

extern "C" {
int cuMemPoolCreate(Pool **pool, const Properties *p) {
  CHECK
  if (controls.noPools) return notSupported;
  if (p->allocation != 1 || p->handles || p->location != 1 || p->device != current->number) return invalidValue;
  *pool = new Pool{p->device};
  controls.pools++;
  return success;
}

int cuMemPoolDestroy(Pool *pool) {
  CHECK
  std::lock_guard<std::mutex> lock(current->mutex);
  current->inUse -= pool->reserved - pool->used; // what is used stays with its blocks, and with them the pool
  pool->reserved = pool->used;
  controls.pools--;
  return success;
}

int cuMemPoolTrimTo(Pool *pool, size_t bytes) {
  CHECK
  std::lock_guard<std::mutex> lock(current->mutex);
  uint64 left = std::min(pool->reserved, std::max(pool->used, (uint64)bytes));
  current->inUse -= pool->reserved - left;
  pool->reserved = left;
  return success;
}

int cuMemPoolGetAttribute(Pool *pool, int attribute, void *value) {
  CHECK
  std::lock_guard<std::mutex> lock(current->mutex);
  const uint64 values[] = {pool->reserved, pool->mostReserved, pool->used, pool->mostUsed};
  if (attribute < 5 || attribute > 8) return invalidValue;
  *(uint64 *)value = values[attribute - 5];
  return success;
}

int cuMemPoolSetAttribute(Pool *pool, int attribute, void *value) {
  CHECK
  if (attribute != 4 || *(uint64 *)value != ~0ull) return invalidValue; // its pools keep all that is free
  controls.keepingPools++;
  return success;
}

struct Access { int location, device, flags; };

int cuMemPoolSetAccess(Pool *pool, const Access *to, size_t count) {
  CHECK
  if (count != 1 || to->location != 1 || to->flags != 3 || to->device == pool->device) return invalidValue;
  if (controls.noPeers || countdown(controls.accessFails)) return invalidDevice;
  grant(pool, to->device);
  return success;
}

int cuMemAllocFromPoolAsync(uint64 *p, size_t bytes, Pool *pool, void *stream) {
  CHECK
  auto s = streamOf(stream);
  if (!s || pool->device != current->number) return invalidValue;
  std::shared_ptr<Block> block;
  if (int r = allocate(current, bytes, pool, &block)) return r;
  *p = block->address;
  s->push([block] { block->there = true; });
  return success;
}

int cuMemFreeAsync(uint64 p, void *stream) {
  CHECK
  if (!streamOf(stream)) return invalidHandle;
  controls.asyncFrees++;
  return release(current, p);
}
}
