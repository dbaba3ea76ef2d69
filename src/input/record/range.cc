// Scanner reads a part of a file.
//
// The first part of a file begins where a reader of the whole file begins. Each
// part ends exactly where the next one begins, or fails. So, by induction, all
// parts together have the records that a reader of the whole file returns.

#include <algorithm>

#include "src/input/record/scanner.h"
#include "src/input/record/seam.h"

namespace headrace::record {

Status Check(const ByteRange& range) {
  if (range.begin <= range.end) return Status();
  return Status(ErrorCode::kInvalidArgument,
                "the range of bytes ends before it begins: " +
                    std::to_string(range.begin) + " to " +
                    std::to_string(range.end));
}

Status Scanner::ReadRange(const ByteRange& range) {
  if (!source_->can_read_at()) {
    range_ = range;
    return Status();
  }
  const Result<uint64_t> begin = FindSeam(source_.get(), range.begin);
  if (!begin.ok()) return final_ = begin.status();
  // Both seams are the same if no record begins in the range.
  const Result<uint64_t> end =
      *begin < range.end ? FindSeam(source_.get(), range.end) : begin;
  if (!end.ok()) return final_ = end.status();
  if (range.end < source_->stream_size()) source_->EndAt(*end);
  if (*end < source_->stream_size()) seam_ = *end;
  knows_numbers_ = *begin == 0;
  if (*begin > 0 && source_->StartAt(*begin)) window_.offset = *begin;
  const Result<bool> there = MoveTo(*begin);
  return final_ = there.status();
}

// Removes the records outside the range from spans_, which has the `count`
// records that end at pos_. Returns how many are left at its front.
size_t Scanner::TrimToRange(size_t count) {
  if (range_ == ByteRange()) return count;
  const auto begin = spans_.begin();
  const auto end = begin + static_cast<std::ptrdiff_t>(count);
  const auto first = std::find_if(begin, end, [this](const RecordSpan& span) {
    return span.offset >= range_.begin;
  });
  const auto last = std::find_if(first, end, [this](const RecordSpan& span) {
    return span.offset >= range_.end;
  });
  if (last != end) pos_ = last->offset;
  next_record_ += static_cast<uint64_t>(first - begin);
  if (first != begin) std::copy(first, last, begin);
  return static_cast<size_t>(last - first);
}

// Returns the error for bytes at pos_ that go on past the seam.
Status Scanner::SplitSeam() const {
  return Status(ErrorInfo{
      .code = ErrorCode::kSplitSeam,
      .message = "the record or the damage here goes on past byte " +
                 std::to_string(*seam_) +
                 ", where the next part of the file begins; a record holds a "
                 "TFRecord file, or bytes are damaged: read the file in fewer "
                 "parts or as a whole",
      .file = source_->name(),
      .record = Number(),
      .offset = pos_});
}

}  // namespace headrace::record
