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
  // The indexes of compressed files are used as ReadOptions says; readers of
  // the parts should be given the same.
  IndexUse index = IndexUse::kAuto;
  std::string index_directory = {};
  // Opens every file, if set, and names are passed on as they are; see
  // input_file.h.
  OpenInput open_input = {};
  // Asked whether to stop, before each file and while a pipe is waited for:
  // true ends the call with kCancelled. It may be empty and must not throw.
  std::function<bool()> interrupted = {};
};

// Cuts the files that `paths` name (paths.h) into about `count` parts of like
// size: exactly so many for one file that can be read at any place. Such are
// plain files, and compressed ones that have an index (index.h) or say of
// themselves where they can be inflated from (record_writer.h); what inputs of
// open_input say of themselves is not read. Each file has at least one part;
// any other has exactly one, which ends at ~0. Reads the first bytes of each
// file, and of each block of compressed ones. kInvalidArgument for a count of
// 0; kNotFound for a file without the index that is required.
Result<std::vector<FilePart>> CutFiles(const std::vector<std::string>& paths,
                                       uint64_t count,
                                       const CutOptions& options = {});

}  // namespace headrace

#endif  // HEADRACE_SRC_READ_READER_PARTS_H_
