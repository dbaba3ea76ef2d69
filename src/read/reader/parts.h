// Parts of files, so that tasks on many machines can share files that none of
// them has read before.
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
  // Indexes of compressed files are used as ReadOptions says; pass the same
  // values to the readers of the parts.
  IndexUse index = IndexUse::kAuto;
  std::string index_directory = {};
  // If set, opens every file, and names are passed on unchanged; see
  // input_file.h.
  OpenInput open_input = {};
  // Called before each file and while waiting for a pipe: returning true ends
  // the call with kCancelled. It may be empty and must not throw.
  std::function<bool()> interrupted = {};
};

// Cuts the files that `paths` name (paths.h) into about `count` parts of
// similar size; a single file that can be read at any offset, into exactly
// `count`. Such files are plain ones, and compressed ones that have an index
// (index.h) or record where they can be inflated from (record_writer.h), which
// is not read from inputs of open_input. Each of them has at least one part;
// any other file has exactly one, which ends at ~0. Reads the first bytes of
// each file, and of each block of compressed ones. kInvalidArgument for a count
// of 0 or over 2^24; kNotFound for a file without a required index.
Result<std::vector<FilePart>> CutFiles(const std::vector<std::string>& paths,
                                       uint64_t count,
                                       const CutOptions& options = {});

}  // namespace headrace

#endif  // HEADRACE_SRC_READ_READER_PARTS_H_
