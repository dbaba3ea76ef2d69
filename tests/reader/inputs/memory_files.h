// MemoryFiles: files in memory, opened by name through ReadOptions::open_input,
// that count what is asked of them.

#ifndef HEADRACE_TESTS_READER_INPUTS_MEMORY_FILES_H_
#define HEADRACE_TESTS_READER_INPUTS_MEMORY_FILES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "headrace/input_file.h"
#include "headrace/reader.h"

namespace headrace::testing {

struct MemoryFile {
  std::string bytes;
  bool can_seek = true;
  size_t piece = ~size_t{0};        // bytes a read
  uint64_t fail_at = ~uint64_t{0};  // this byte cannot be read
  bool knows_size = true;
  uint64_t claimed_size = 0;  // not 0: what it says its size is
  bool lies = false;          // Read says more than there was room for

  // Counted from the first open on.
  size_t opens = 0;
  size_t reads = 0;
  uint64_t bytes_read = 0;
};

// Outlives the readers that use it, and is used by one of them at a time.
class MemoryFiles {
 public:
  MemoryFile& operator[](const std::string& name) { return files_[name]; }
  // A name without a file is kNotFound.
  OpenInput opener();
  size_t now_open() const { return now_open_; }

 private:
  std::map<std::string, MemoryFile> files_;
  std::atomic<size_t> now_open_ = 0;
};

// The options, with inputs opened there.
inline ReadOptions Through(MemoryFiles* files, ReadOptions options = {}) {
  options.open_input = files->opener();
  return options;
}

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_READER_INPUTS_MEMORY_FILES_H_
