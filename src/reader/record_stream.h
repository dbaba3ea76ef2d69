// RecordStream: the records of several files as one stream of blocks.
//
// Can be looked at before it is read: blocks taken while peeking are given
// again by Next. Regular files are simply opened anew for that; what cannot be
// opened twice (standard input, pipes) is kept pinned. Not thread-safe.

#ifndef HEADRACE_SRC_READER_RECORD_STREAM_H_
#define HEADRACE_SRC_READER_RECORD_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "headrace/reader.h"
#include "headrace/status.h"
#include "src/record/scanner.h"

namespace headrace::reader {

struct FileBlock {
  record::Block block;
  uint32_t file = 0;  // index into the files
};

class RecordStream {
 public:
  // Findings that the policy allows go to `report`.
  RecordStream(const std::vector<std::string>& files,
               const ReadOptions& options, ReadReport* report);

  // True when every file is a regular one.
  bool can_reopen() const { return can_reopen_; }

  // As Next, for looking ahead; what it reports is forgotten by Rewind.
  // Payloads are verified, and at most kHeldBytes are kept of what cannot be
  // opened again: then, and at the end, the result is empty.
  Result<std::optional<FileBlock>> Peek(size_t max_records);
  // Ends peeking: Next begins with the first record of the first file.
  void Rewind();

  // Records of one window of one file; empty after the last file. An error is
  // final. `block.payloads_unverified` asks the caller to check CRCs.
  Result<std::optional<FileBlock>> Next(size_t max_records);

  // See Scanner::ReportBadPayload.
  Status ReportBadPayload(const record::RecordSpan& span,
                          uint64_t record_number);

  uint64_t stored_position() const;
  uint64_t stored_size() const { return stored_size_; }

 private:
  static constexpr uint64_t kHeldBytes = uint64_t{256} << 20;
  struct Held {
    FileBlock block;
    std::vector<record::RecordSpan> records;
  };

  Status OpenFile();
  void CollectRegions();

  const std::vector<std::string>& files_;
  const ReadOptions& options_;
  ReadReport* const report_;
  bool can_reopen_ = true;
  bool verify_now_ = false;  // while peeking
  uint32_t file_ = 0;
  std::unique_ptr<record::Scanner> scanner_;  // of file_; null: not yet open
  uint64_t regions_seen_ = 0;                 // of scanner_
  std::deque<Held> held_;
  uint64_t held_bytes_ = 0;
  std::optional<Held> given_;   // the held block that Next gave last
  uint64_t stored_before_ = 0;  // bytes of the files before file_
  uint64_t stored_size_ = 0;
};

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READER_RECORD_STREAM_H_
