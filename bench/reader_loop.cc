// bench/python_overhead.py calls this loop of the C++ reader in the process
// whose Python loop it is compared with.

#include <cstdint>

#include "headrace/reader.h"

extern "C" {

// Gives the rows of the file, read in batches of `batch_size` with columns
// found from the data; below 0 for an error.
__attribute__((visibility("default"))) int64_t headrace_read_all(
    const char* path, uint64_t batch_size) {
  auto reader = headrace::Reader::Open(
      {path}, {.batch_size = static_cast<size_t>(batch_size), .threads = 1});
  if (!reader.ok()) return -1;
  int64_t rows = 0;
  while (auto batch = reader->Next()) {
    rows += static_cast<int64_t>(batch->num_rows());
  }
  return reader->status().ok() ? rows : -1;
}

}  // extern "C"
