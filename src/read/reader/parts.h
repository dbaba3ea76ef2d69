// CutFiles cuts files into parts, so that tasks on many machines can share the
// reading. No task has to read a file first.
//
//   auto parts = headrace::CutFiles({"big.tfrecord"}, 64);
//   if (!parts) return parts.status();
//   for (const headrace::FilePart& part : *parts) {  // each in a task
//     auto reader = headrace::Reader::Open({part.file}, {.range = part.range});
//   }

#ifndef HEADRACE_SRC_READ_READER_PARTS_H_
#define HEADRACE_SRC_READ_READER_PARTS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "headrace/index.h"
#include "headrace/input_file.h"
#include "headrace/record_reader.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace {

struct FilePart {
  std::string file = {};
  ByteRange range = {};

  bool operator==(const FilePart&) const = default;
};

struct CutOptions {
  Compression compression = Compression::kAuto;
  // How indexes of compressed files are used; see ReadOptions. Pass the same
  // values to the readers of the parts.
  IndexUse index = IndexUse::kAuto;
  std::string index_directory = {};
  // If set, opens every file. Paths are then passed to it unchanged; see
  // input_file.h.
  OpenInput open_input = {};
  // Called before each file and while waiting for a pipe. If it returns true,
  // the call ends with kCancelled. It may be empty and must not throw.
  std::function<bool()> interrupted = {};
};

// Cuts the files that `paths` name (paths.h) into about `count` parts of
// similar size. Only files that can be read at any offset are cut: plain files,
// and compressed files that have an index (index.h) or consist of blocks
// (record_writer.h). Blocks are not looked for in inputs of open_input. Any
// other file is one part, which ends at ~0. A single file that can be cut has
// exactly `count` parts.
// Reads the first bytes of each file, and of each block of a compressed file.
// kInvalidArgument if `count` is 0 or over 2^24; kNotFound for a file without a
// required index.
Result<std::vector<FilePart>> CutFiles(const std::vector<std::string>& paths,
                                       uint64_t count,
                                       const CutOptions& options = {});

}  // namespace headrace

#endif  // HEADRACE_SRC_READ_READER_PARTS_H_
