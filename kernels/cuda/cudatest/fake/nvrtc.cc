// A stand-in for NVRTC: programs are compiled for the host, and what they are compiled to names their functions in this process.
#include "fake.h"
#include "nvrtc_text.h"
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <regex>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

enum { outOfHost = 1, wrongInput = 3, wrongOption = 5, notCompiled = 6, noName = 10, internal = 11 };

typedef void (*Body)(void *function, void **values);
typedef void (*Run)(Body, void *function, void **values, const unsigned *blocks, const unsigned *threads, size_t shared);

static const int architectures[] = {75, 80, 90};

struct Compiled {
  std::vector<int> bytes;
  std::vector<bool> pointers;
  void *function;
  Body body;
  Run run;
};

typedef std::map<std::string, Compiled> Kernels;

static auto &mutex = *new std::mutex;
static auto &programs = *new std::vector<Kernels>; // for ever

struct Program {
  std::string source, log, ptx, binary;
  std::map<std::string, std::string> names; // and what they are lowered to
};

static std::string contents(const std::string &path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// compile runs the compiler of the host, whose messages are in a file.
static bool compile(const std::string &folder, const std::vector<std::string> &options) {
  std::vector<std::string> words = {COMPILER, "-x", "c++", "-std=c++17", "-O0", "-fPIC", "-shared", "-ffp-contract=off", "-fwrapv", "-w"};
  words.insert(words.end(), options.begin(), options.end());
  for (auto word : {folder + "/kernel.cc", std::string("-o"), folder + "/kernel.so"}) words.push_back(word);
  std::vector<char *> arguments;
  for (auto &word : words) arguments.push_back((char *)word.c_str());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 2, (folder + "/log").c_str(), 01 | 0100, 0600);
  pid_t child;
  int status = -1;
  if (posix_spawn(&child, COMPILER, &actions, nullptr, arguments.data(), environ) == 0)
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  posix_spawn_file_actions_destroy(&actions);
  return status == 0;
}

// isKnown is whether an option asks for an architecture that is compiled for; binary, whether for its binary code.
static bool isKnown(const std::string &option, bool &binary) {
  for (int a : architectures)
    for (auto kind : {"sm_", "compute_"})
      if (option == "--gpu-architecture=" + (kind + std::to_string(a))) {
        binary = *kind == 's';
        return true;
      }
  return false;
}

static void add(void *to, const char *name, int count, const int *bytes, const bool *pointers, void *function, Body body) {
  (*(Kernels *)to)[name] = Compiled{std::vector<int>(bytes, bytes + count), std::vector<bool>(pointers, pointers + count), function, body, nullptr};
}

// registrations are the lines behind the source that make its kernels known.
static std::string registrations(Program *p) {
  std::string lines = "\n#line 1 \"names\"\nextern \"C\" void weftRegister(weft::Add to, void *all) {\n";
  static const auto &kernel = *new std::regex("extern\\s+\"C\"\\s+__global__\\s+void\\s+(?:__launch_bounds__\\s*\\([^)]*\\)\\s*)?(\\w+)\\s*\\(");
  for (std::sregex_iterator i(p->source.begin(), p->source.end(), kernel), end; i != end; ++i) lines += "weft::add(to, all, \"" + (*i)[1].str() + "\", " + (*i)[1].str() + ");\n";
  for (auto &name : p->names) {
    name.second = "_Z" + std::to_string(name.first.size());
    for (char c : name.first) name.second += isalnum(c) ? c : '_';
    lines += "weft::add(to, all, \"" + name.second + "\", " + name.first + ");\n";
  }
  return lines + "}\n";
}

extern "C" {
int nvrtcVersion(int *major, int *minor) {
  long long version = controls.compilerVersion ? controls.compilerVersion : controls.version;
  *major = version / 1000;
  *minor = version % 1000 / 10;
  return 0;
}

int nvrtcGetNumSupportedArchs(int *count) {
  *count = std::size(architectures);
  return 0;
}
int nvrtcGetSupportedArchs(int *all) {
  std::copy(std::begin(architectures), std::end(architectures), all);
  return 0;
}

int nvrtcCreateProgram(Program **p, const char *source, const char *name, int headers, void *, void *) {
  if (headers) return wrongInput;
  *p = new Program{source};
  return 0;
}

int nvrtcDestroyProgram(Program **p) {
  delete *p;
  *p = nullptr;
  return 0;
}

int nvrtcAddNameExpression(Program *p, const char *name) {
  p->names[name] = "";
  return 0;
}

int nvrtcCompileProgram(Program *p, int count, const char *const *options) {
  if (countdown(controls.compileFails)) return outOfHost;
  std::vector<std::string> own;
  bool binary = false;
  for (int i = 0; i < count; i++) {
    std::string option = options[i];
    if (isKnown(option, binary)) continue;
    if (option.rfind("-D", 0) == 0 || option.rfind("-I", 0) == 0) own.push_back(option);
    else if (option != "--use_fast_math" && option.rfind("--std=", 0) && option.rfind("--fmad=", 0)) {
      p->log = "nvrtc: error: invalid value, or unrecognized option: " + option + "\n";
      return wrongOption;
    }
  }
  char folder[] = "/tmp/weft-fake-nvrtcXXXXXX";
  if (!mkdtemp(folder)) return internal;
  std::string at = folder;
  static const auto &dynamic = *new std::regex("extern\\s+__shared__\\s+([\\w ]+?)\\s+(\\w+)\\s*\\[\\s*\\]\\s*;");
  std::string source = std::regex_replace(p->source, dynamic, "$1 *const $2 = ($1 *)weftDynamic.data();");
  std::string all = std::string(nvrtcText) + "\n#line 1 \"kernel.cu\"\n" + source + registrations(p);
  std::ofstream(at + "/kernel.cc") << all;
  bool compiled = compile(at, own);
  p->log = contents(at + "/log");
  void *library = compiled ? dlopen((at + "/kernel.so").c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  for (auto file : {"/kernel.cc", "/kernel.so", "/log"}) unlink((at + file).c_str());
  rmdir(folder);
  if (!library) return notCompiled;
  Kernels kernels;
  ((void (*)(decltype(&add), void *))dlsym(library, "weftRegister"))(add, &kernels);
  std::lock_guard<std::mutex> lock(mutex);
  p->ptx = "// fake program " + std::to_string(programs.size()) + "\n";
  for (auto &k : kernels) {
    k.second.run = (Run)dlsym(library, "weftRun");
    p->ptx += "\n.visible .entry " + k.first + "(";
    for (size_t i = 0; i < k.second.bytes.size(); i++)
      p->ptx += std::string(i ? ",\n" : "\n") + "\t.param .b" + std::to_string(8 * k.second.bytes[i]) + " " + k.first + "_param_" + std::to_string(i);
    p->ptx += "\n)\n{\n}\n";
  }
  if (binary) p->binary = "binary code: " + p->ptx;
  programs.push_back(std::move(kernels));
  controls.compiled++;
  return 0;
}

#define TEXT(what, member)                                            \
  int nvrtcGet##what##Size(Program *p, size_t *bytes) {               \
    *bytes = p->member.empty() ? 0 : p->member.size() + 1;            \
    return 0;                                                         \
  }                                                                   \
  int nvrtcGet##what(Program *p, char *to) {                          \
    strcpy(to, p->member.c_str());                                    \
    return 0;                                                         \
  }
TEXT(PTX, ptx) TEXT(CUBIN, binary) TEXT(ProgramLog, log)

int nvrtcGetLoweredName(Program *p, const char *name, const char **lowered) {
  auto found = p->names.find(name);
  if (found == p->names.end()) return noName;
  *lowered = found->second.c_str();
  return 0;
}
}

const Compiled *compiledOf(const std::string &image, const std::string &name) {
  auto at = image.find("fake program ");
  if (at == std::string::npos) return nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  auto &kernels = programs.at(std::stoul(image.substr(at + 13)));
  auto found = kernels.find(name);
  return found == kernels.end() ? nullptr : &found->second;
}

int launchCompiled(const std::shared_ptr<Stream> &s, const Compiled *k, const unsigned *blocks, const unsigned *threads, size_t shared, void **arguments) {
  std::vector<uint64> values(k->bytes.size());
  for (size_t i = 0; i < values.size(); i++) memcpy(&values[i], arguments[i], k->bytes[i]);
  std::vector<unsigned> grid(blocks, blocks + 3), block(threads, threads + 3);
  Device *d = s->device;
  bool loses = countdown(controls.launchLoses);
  s->push([=] {
    if (d->lost) return;
    auto own = values;
    std::vector<void *> places;
    std::vector<std::shared_ptr<Block>> held;
    bool lost = loses;
    for (size_t i = 0; i < own.size(); i++) {
      if (k->pointers[i] && own[i]) {
        held.emplace_back();
        own[i] = (uint64)reach(d, own[i], 0, &held.back());
        lost = lost || !own[i];
      }
      places.push_back(&own[i]);
    }
    if (!lost) k->run(k->body, k->function, places.data(), grid.data(), block.data(), shared);
    for (auto &b : held) lost = lost || !b || !b->intact();
    if (lost) d->lost = illegalAddress;
  });
  return success;
}
