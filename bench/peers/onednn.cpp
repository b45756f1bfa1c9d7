// One direction of a 2-d convolution by oneDNN: ONEDNN DIRECTION IMAGES CHANNELS SIZE FILTERS KERNEL STRIDE PADDING GROUPS SECONDS, as
// conv.py has them. The images, filters and results lie plainly, as arrays do (NCHW, OIHW). It measures the convolution on these
// layouts, and the one on the layouts that oneDNN likes best with all conversions from and to the plain ones, and tells the
// faster.
#include <dnnl.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <unordered_map>

#include "timing.hpp"

using dnnl::memory;
using Tag = memory::format_tag;

static memory::desc like(const memory::dims& shape, Tag tag) { return {shape, memory::data_type::f32, tag}; }

static memory random_memory(const memory::desc& desc, const dnnl::engine& engine) {
  memory m(desc, engine);
  std::mt19937 bits(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  float* numbers = static_cast<float*>(m.get_data_handle());
  std::generate(numbers, numbers + desc.get_size() / sizeof(float), [&] { return uniform(bits); });
  return m;
}

struct Convolution {
  memory::dims data, weights, result, stride, padding;
  Tag weights_tag;
};

// A convolution of one direction on layouts of its own choice, between plain memory.
class Direction {
 public:
  Direction(const Convolution& c, const std::string& direction, bool choose, const dnnl::engine& engine) : stream_(engine) {
    const Tag plain = choose ? Tag::any : Tag::nchw, filters = choose ? Tag::any : c.weights_tag;
    const auto x = like(c.data, plain), w = like(c.weights, filters), y = like(c.result, plain);
    const auto algorithm = dnnl::algorithm::convolution_direct;
    const dnnl::convolution_forward::primitive_desc forward(
        {dnnl::prop_kind::forward_training, algorithm, x, w, y, c.stride, c.padding, c.padding}, engine);
    if (direction == "forward") {
      primitive_ = dnnl::convolution_forward(forward);
      from(DNNL_ARG_SRC, like(c.data, Tag::nchw), forward.src_desc(), engine);
      from(DNNL_ARG_WEIGHTS, like(c.weights, c.weights_tag), forward.weights_desc(), engine);
      to(DNNL_ARG_DST, like(c.result, Tag::nchw), forward.dst_desc(), engine);
    } else if (direction == "data") {
      const dnnl::convolution_backward_data::primitive_desc backward({algorithm, x, w, y, c.stride, c.padding, c.padding}, engine, forward);
      primitive_ = dnnl::convolution_backward_data(backward);
      from(DNNL_ARG_DIFF_DST, like(c.result, Tag::nchw), backward.diff_dst_desc(), engine);
      from(DNNL_ARG_WEIGHTS, like(c.weights, c.weights_tag), backward.weights_desc(), engine);
      to(DNNL_ARG_DIFF_SRC, like(c.data, Tag::nchw), backward.diff_src_desc(), engine);
    } else if (direction == "weights") {
      const dnnl::convolution_backward_weights::primitive_desc backward({algorithm, x, w, y, c.stride, c.padding, c.padding}, engine, forward);
      primitive_ = dnnl::convolution_backward_weights(backward);
      from(DNNL_ARG_SRC, like(c.data, Tag::nchw), backward.src_desc(), engine);
      from(DNNL_ARG_DIFF_DST, like(c.result, Tag::nchw), backward.diff_dst_desc(), engine);
      to(DNNL_ARG_DIFF_WEIGHTS, like(c.weights, c.weights_tag), backward.diff_weights_desc(), engine);
    } else {
      throw std::invalid_argument("unknown direction " + direction);
    }
  }

  void operator()() {
    for (Conversion& c : before_) c.reorder.execute(stream_, c.from, c.to);
    primitive_.execute(stream_, arguments_);
    for (Conversion& c : after_) c.reorder.execute(stream_, c.from, c.to);
    stream_.wait();
  }

 private:
  struct Conversion {
    dnnl::reorder reorder;
    memory from, to;
  };

  void from(int argument, const memory::desc& plain, const memory::desc& chosen, const dnnl::engine& engine) {
    memory given = random_memory(plain, engine);
    arguments_[argument] = given;
    if (plain == chosen) return;
    memory converted(chosen, engine);
    before_.push_back({dnnl::reorder(given, converted), given, converted});
    arguments_[argument] = converted;
  }

  void to(int argument, const memory::desc& plain, const memory::desc& chosen, const dnnl::engine& engine) {
    memory wanted = random_memory(plain, engine);
    arguments_[argument] = wanted;
    if (plain == chosen) return;
    memory converted(chosen, engine);
    after_.push_back({dnnl::reorder(converted, wanted), converted, wanted});
    arguments_[argument] = converted;
  }

  dnnl::stream stream_;
  dnnl::primitive primitive_;
  std::unordered_map<int, memory> arguments_;
  std::vector<Conversion> before_, after_;
};

int main(int argc, char** argv) {
  if (argc != 11) {
    std::fprintf(stderr, "usage: %s DIRECTION IMAGES CHANNELS SIZE FILTERS KERNEL STRIDE PADDING GROUPS SECONDS\n", argv[0]);
    return 2;
  }
  long n[8];
  for (int i = 0; i < 8; i++) n[i] = std::atol(argv[i + 2]);
  const long images = n[0], channels = n[1], size = n[2], filters = n[3], kernel = n[4], stride = n[5], padding = n[6], groups = n[7];
  const long result = (size + 2 * padding - kernel) / stride + 1;
  Convolution c{{images, channels, size, size}, {filters, channels, kernel, kernel}, {images, filters, result, result},
                {stride, stride},               {padding, padding},                  Tag::oihw};
  if (groups > 1) {
    c.weights = {groups, filters / groups, channels / groups, kernel, kernel};
    c.weights_tag = Tag::goihw;
  }
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  Direction plain(c, argv[1], false, engine), chosen(c, argv[1], true, engine);
  const double seconds = std::atof(argv[10]) / 2;
  std::printf("ns/op %.1f\n", std::min(peer::mean_nanoseconds(seconds, plain), peer::mean_nanoseconds(seconds, chosen)));
  return 0;
}
