// Launches: the arguments are checked against the memory that is there, and translated to addresses of the host.
#include "chain.cuh"
#include "clip.cuh"
#include "fake.h"
#include "update.cuh"

thread_local uint64 *dynamicMemory;

typedef std::vector<std::shared_ptr<Block>> Blocks;

// extent returns the offsets of the first and the last byte of an operand along the first axes.
static void extent(const Arguments &a, const Operand &o, int axes, uint64 size, int64 *low, int64 *high) {
  *low = 0;
  *high = size - 1;
  for (int axis = 0; axis < axes; axis++) {
    int64 span = (a.shape[axis] - 1) * o.strides[axis] * (int64)size;
    (span < 0 ? *low : *high) += span;
  }
}

static uint64 sizeOf(int64 dtype) {
  static const uint64 sizes[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
  return dtype > 0 && dtype < 16 ? sizes[dtype] : 0;
}

// translate gives start the address on the host of memory whose bytes are from low to high; it reports false if that is not there.
static bool translate(Device *d, uint8 *&start, int64 low, int64 high, Blocks &blocks) {
  std::shared_ptr<Block> held;
  uint8 *p = reach(d, (uint64)start + low, high - low + 1, &held);
  if (held) blocks.push_back(held);
  start = p ? p - low : nullptr;
  return p;
}

// inTurns is the grid for kernels that do what is left in turns: as few blocks as have to.
static Place inTurns(Place grid) {
  grid.blocks = std::min(grid.blocks, 3u);
  return grid;
}

// eachThread runs a kernel whose threads have nothing to do with one another.
static void eachThread(const std::string &entry, Place grid, const std::function<void()> &body) {
  kernel = entry.c_str();
  for (unsigned b = 0; b < grid.blocks; b++) {
    for (unsigned t = 0; t < grid.threads; t++) {
      place = Place{t, grid.threads, b, grid.blocks};
      body();
    }
  }
}

// eachBlock runs a kernel whose threads meet at barriers; where runBlock reports that something is wrong, the device is lost.
static void eachBlock(Device *d, const std::string &entry, Place grid, const std::function<void()> &body) {
  kernel = entry.c_str();
  for (unsigned b = 0; b < grid.blocks && !d->lost; b++)
    if (!runBlock(Place{0, grid.threads, b, grid.blocks}, body)) d->lost = launchFailed;
}

static void finish(Device *d, Blocks &blocks) {
  for (auto &block : blocks)
    if (!block->intact()) d->lost = illegalAddress;
}

// launchMany launches a kernel whose argument is struct Updates.
static void launchMany(const std::shared_ptr<Stream> &s, const std::string &entry, void (*body)(const Updates &), Place grid, const Updates &given) {
  Device *d = s->device;
  bool loses = countdown(controls.launchLoses);
  auto ends = [&](const char *type) { return entry.size() > strlen(type) && !entry.compare(entry.size() - strlen(type), strlen(type), type); };
  uint64 size = ends("_float64") ? 8 : ends("_float32") ? 4 : 2;
  s->push([=] {
    if (d->lost) return;
    Updates u = given;
    Blocks blocks;
    auto found = [&](uint8 *&at, uint64 size) {
      if (!translate(d, at, 0, size - 1, blocks)) d->lost = illegalAddress;
    };
    for (uint64 i = 0; i < u.arrays; i++)
      for (int k = 0; k < 4; k++)
        if (auto &x = u.array[i]; x.operands[k]) found(x.operands[k], x.count * (x.wide >> k & 1 ? 4 : size));
    if (u.done) found((uint8 *&)u.done, 1);
    if (loses) d->lost = illegalAddress;
    if (d->lost) return;
    eachThread(entry, grid, [&] { body(u); });
    finish(d, blocks);
  });
}

// launchGroup launches a kernel whose argument is struct Clip.
static void launchGroup(const std::shared_ptr<Stream> &s, const std::string &entry, void (*body)(const Clip &), Place grid, const Clip &given) {
  Device *d = s->device;
  bool loses = countdown(controls.launchLoses);
  auto has = [&](const char *part) { return entry.find(part) != std::string::npos; };
  uint64 size = has("_float64") ? 8 : has("_float32") ? 4 : 2, norms = has("_norms_") ? grid.blocks : 1;
  s->push([=] {
    if (d->lost) return;
    Clip c = given;
    Blocks blocks;
    bool lost = loses || !translate(d, (uint8 *&)c.norms, 0, 8 * norms - 1, blocks);
    for (uint64 i = 0; i < c.arrays; i++) lost = !translate(d, c.array[i].start, 0, c.array[i].count * size - 1, blocks) || lost;
    if (lost) {
      d->lost = illegalAddress;
      return;
    }
    eachBlock(d, entry, grid, [&] { body(c); });
    finish(d, blocks);
  });
}

// launchChain launches a kernel whose argument is struct Chain.
static void launchChain(const std::shared_ptr<Stream> &s, const std::string &entry, void (*body)(const Chain &), Place grid, unsigned shared, const Chain &given) {
  Device *d = s->device;
  bool loses = countdown(controls.launchLoses);
  controls.chains++;
  controls.chainShared = shared;
  s->push([=] {
    if (d->lost) return;
    Chain c = given;
    Blocks blocks;
    bool lost = loses;
    for (auto &o : c.operands) {
      if (!o.dtype) continue;
      int64 low = 0, high = sizeOf(o.dtype) - 1;
      for (int axis = 0; axis < chainAxes; axis++) {
        int64 span = (c.shape[axis] - 1) * o.strides[axis] * (int64)sizeOf(o.dtype);
        (span < 0 ? low : high) += span;
      }
      lost = !translate(d, o.start, low, high, blocks) || lost;
    }
    if (lost) {
      d->lost = illegalAddress;
      return;
    }
    std::vector<uint8> memory(shared + guard, poison);
    dynamicMemory = (uint64 *)memory.data();
    eachThread(entry, inTurns(grid), [&] { body(c); });
    if (std::any_of(memory.begin() + shared, memory.end(), [](uint8 v) { return v != poison; })) d->lost = illegalAddress;
    finish(d, blocks);
  });
}

void launch(const std::shared_ptr<Stream> &s, const std::string &entry, void (*body)(const Arguments &), Place grid, unsigned shared, const Arguments &given) {
  if (entry.rfind("chain_", 0) == 0) return launchChain(s, entry, (void (*)(const Chain &))body, grid, shared, (const Chain &)given);
  if (entry.rfind("group_", 0) == 0) return launchGroup(s, entry, (void (*)(const Clip &))body, grid, (const Clip &)given);
  if (entry.rfind("many_", 0) == 0) return launchMany(s, entry, (void (*)(const Updates &))body, grid, (const Updates &)given);
  Device *d = s->device;
  bool loses = countdown(controls.launchLoses);
  bool perThread = entry.rfind("each_", 0) == 0 || entry.rfind("inner_", 0) == 0;
  s->push([=] {
    if (d->lost) return;
    Arguments a = given;
    Blocks blocks;
    for (auto &o : a.operands) {
      if (!o.dtype) continue;
      // Whatever is not there loses the device. Empty inner axes are not looked at.
      int64 low, high;
      extent(a, o, a.outerAxes + (a.inner ? a.innerAxes : 0), sizeOf(o.dtype), &low, &high);
      if (!translate(d, o.start, low, high, blocks) && a.count && (a.inner || &o == a.operands)) {
        d->lost = illegalAddress;
        return;
      }
    }
    if (loses) {
      d->lost = illegalAddress;
      return;
    }
    if (perThread) eachThread(entry, inTurns(grid), [&] { body(a); });
    else eachBlock(d, entry, inTurns(grid), [&] { body(a); });
    finish(d, blocks);
  });
}
