// Launches: the arguments are checked against the memory that is there, and translated to addresses of the host.
#include "fake.h"
#include "update.cuh"

thread_local Place place;

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

// launchMany launches a kernel whose argument is struct Updates.
static void launchMany(const std::shared_ptr<Stream> &s, const std::string &entry, void (*body)(const Updates &), Place grid, const Updates &given) {
  Device *d = s->device;
  bool loses = countdown(controls.launchLoses);
  auto ends = [&](const char *type) { return entry.size() > strlen(type) && !entry.compare(entry.size() - strlen(type), strlen(type), type); };
  uint64 size = ends("_float64") ? 8 : ends("_float32") ? 4 : 2;
  s->push([=] {
    if (d->lost) return;
    Updates u = given;
    std::vector<std::shared_ptr<Block>> blocks;
    auto translate = [&](uint8 *&at, uint64 size) {
      std::shared_ptr<Block> held;
      at = reach(d, (uint64)at, size, &held);
      if (held) blocks.push_back(held);
      else d->lost = illegalAddress;
    };
    for (uint64 i = 0; i < u.arrays; i++)
      for (int k = 0; k < 4; k++)
        if (auto &x = u.array[i]; x.operands[k]) translate(x.operands[k], x.count * (x.wide >> k & 1 ? 4 : size));
    if (u.done) translate((uint8 *&)u.done, 1);
    if (loses) d->lost = illegalAddress;
    if (d->lost) return;
    for (unsigned b = 0; b < grid.blocks; b++) {
      for (unsigned t = 0; t < grid.threads; t++) {
        place = Place{t, grid.threads, b, grid.blocks};
        body(u);
      }
    }
    for (auto &block : blocks)
      if (!block->intact()) d->lost = illegalAddress;
  });
}

void launch(const std::shared_ptr<Stream> &s, const std::string &entry, void (*body)(const Arguments &), Place grid, const Arguments &given) {
  if (entry.rfind("many_", 0) == 0) return launchMany(s, entry, (void (*)(const Updates &))body, grid, (const Updates &)given);
  Device *d = s->device;
  bool loses = countdown(controls.launchLoses);
  bool perThread = entry.rfind("each_", 0) == 0 || entry.rfind("inner_", 0) == 0;
  s->push([=] {
    if (d->lost) return;
    Arguments a = given;
    std::vector<std::shared_ptr<Block>> blocks;
    for (auto &o : a.operands) {
      if (!o.dtype) continue;
      // Whatever is not there loses the device. Empty inner axes are not looked at.
      int64 low, high;
      extent(a, o, a.outerAxes + (a.inner ? a.innerAxes : 0), sizeOf(o.dtype), &low, &high);
      std::shared_ptr<Block> held;
      uint8 *p = reach(d, (uint64)o.start + low, high - low + 1, &held);
      if (a.count && (a.inner || &o == a.operands) && !p) {
        d->lost = illegalAddress;
        return;
      }
      if (held) blocks.push_back(held);
      o.start = p ? p - low : nullptr;
    }
    if (loses) {
      d->lost = illegalAddress;
      return;
    }
    for (unsigned b = 0; b < grid.blocks; b++) {
      for (unsigned t = 0; t < (perThread ? grid.threads : 1); t++) {
        place = Place{t, grid.threads, b, grid.blocks};
        body(a);
      }
    }
    for (auto &block : blocks)
      if (!block->intact()) d->lost = illegalAddress;
  });
}
