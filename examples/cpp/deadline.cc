// Reads as long as there is time: deadline MILLISECONDS FILE...

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "headrace/reader.h"

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end =
      Clock::now() + std::chrono::milliseconds(std::atoi(argv[1]));
  headrace::ReadOptions options;
  options.interrupted = [end] { return Clock::now() >= end; };
  auto reader = headrace::Reader::Open({argv + 2, argv + argc}, options);
  headrace::Status status = reader.status();
  size_t rows = 0;
  if (reader) {
    while (auto batch = reader->Next()) rows += batch->num_rows();
    status = reader->status();
  }
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return 1;
  }
  std::printf("%zu rows\n", rows);
}
