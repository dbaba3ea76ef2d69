// StoredSizes keeps the stored sizes of a reader's files in bytes, as far as
// they are known. Not thread-safe.

#ifndef HEADRACE_SRC_READ_STREAM_STORED_SIZES_H_
#define HEADRACE_SRC_READ_STREAM_STORED_SIZES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "headrace/input_file.h"
#include "src/read/stream/selection.h"

namespace headrace::reader {

class StoredSizes {
 public:
  // The selection must outlive this. `are_inputs`: the caller opens the files.
  StoredSizes(const std::vector<std::string>& files, bool are_inputs,
              const Selection& selection);

  // Whether every file is regular. The caller's inputs count as regular if each
  // one that was opened so far can seek.
  bool can_reopen() const { return can_reopen_; }
  // The bytes of all files that this shard reads; 0 if that is not known.
  uint64_t sum() const { return num_unknown_ > 0 ? 0 : sum_; }
  // The known bytes of the shard's files before this one.
  uint64_t SumBefore(uint32_t file) const;

  // Notes an input of the caller that was opened.
  void LookAt(uint32_t file, const InputFile& input);
  void Set(uint32_t file, uint64_t size);

 private:
  const Selection& selection_;
  // A file that is not regular has 0. An input of the caller has kUnknown,
  // until it is opened and says its size or is read to its end.
  std::vector<uint64_t> sizes_;
  uint64_t sum_ = 0;        // of the known sizes of the shard's files
  size_t num_unknown_ = 0;  // files of the shard with unknown size
  bool can_reopen_ = true;
};

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_STREAM_STORED_SIZES_H_
