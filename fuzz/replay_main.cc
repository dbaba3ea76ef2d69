// This runs a fuzz target without libFuzzer: it checks stored inputs and then
// some made of them, the same ones every time.
//
//   fuzz_wire [--runs N] [--seed S] [FILE...]
//
// A FILE that is a TFRecord file is a corpus, with an input per record; any
// other is one input, as libFuzzer leaves them.

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/fuzzing.h"
#include "headrace/record_reader.h"

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);

namespace {

using headrace::fuzzing::Random;

bool AddFile(const char* path, std::vector<std::string>* inputs) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::perror(path);
    return false;
  }
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  if (!std::string_view(path).ends_with(".tfrecord.gz")) {
    inputs->push_back(bytes);
    return true;
  }
  auto reader = headrace::RecordReader::FromMemory(bytes);
  while (reader.ok()) {
    const auto record = reader->Next();
    if (record) {
      inputs->emplace_back(record->payload);
    } else if (record.ok()) {
      return true;
    } else {
      std::fprintf(stderr, "%s: %s\n", path,
                   record.status().ToString().c_str());
      return false;
    }
  }
  std::fprintf(stderr, "%s: %s\n", path, reader.status().ToString().c_str());
  return false;
}

// This input is being checked; `crash` has it if that ends the process.
std::string_view current;

void LeaveInput(int signal) {
  if (std::FILE* const file = std::fopen("crash", "wb")) {
    std::fwrite(current.data(), 1, current.size(), file);
    std::fclose(file);
    std::fputs("the input is in the file crash\n", stderr);
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void Check(std::string_view input) {
  current = input;
  headrace::fuzzing::CheckInput(input);
}

// Changes are applied on top of each other, from any of the inputs on.
void CheckRandomInputs(uint64_t runs, uint64_t seed,
                       const std::vector<std::string>& inputs) {
  // So many changes leave the neighbourhood of what is stored.
  constexpr uint64_t kChanges = 16;
  Random random(seed);
  std::string input;
  for (uint64_t run = 0; run < runs; ++run) {
    if (run % kChanges == 0 && !inputs.empty()) input = random.Pick(inputs);
    input = headrace::fuzzing::Mutate(input, &random);
    if (input.size() > 4096) input.resize(random.Below(4096));
    Check(input);
  }
}

}  // namespace

int main(int argc, char** argv) {
  LLVMFuzzerInitialize(&argc, &argv);
  for (const int signal : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV}) {
    std::signal(signal, LeaveInput);
  }
  uint64_t runs = 0, seed = 1;
  std::vector<std::string> inputs;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if ((argument == "--runs" || argument == "--seed") && i + 1 < argc) {
      const uint64_t value = std::strtoull(argv[++i], nullptr, 10);
      (argument == "--runs" ? runs : seed) = value;
    } else if (!AddFile(argv[i], &inputs)) {
      return 1;
    }
  }
  const auto begin = std::chrono::steady_clock::now();
  for (const std::string& input : inputs) {
    Check(input);
  }
  CheckRandomInputs(runs, seed, inputs);
  const std::chrono::duration<double> time =
      std::chrono::steady_clock::now() - begin;
  std::printf("%zu stored inputs, %llu random ones, %.1f s\n", inputs.size(),
              static_cast<unsigned long long>(runs), time.count());
}
