#include "src/input/record/seam.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <span>
#include <vector>

#include "src/base/little_endian.h"
#include "src/base/record_header.h"
#include "src/base/system_error.h"
#include "src/input/record/framer.h"

namespace headrace::record {
namespace {

constexpr size_t kMaxRead = size_t{32} << 10;
// A chain is read in pieces that grow from this size, because most chains are
// followed to their end only once.
constexpr size_t kMinRead = size_t{4} << 10;
// A header at least this far from the previous one is read by itself.
constexpr uint64_t kFarBytes = size_t{8} << 10;

// A Piece holds the bytes of the file that were read last.
class Piece {
 public:
  Piece() : bytes_(kMaxRead) {}

  bool HasHeader(uint64_t at) const {
    return at >= begin_ && at - begin_ <= size_ &&
           size_ - (at - begin_) >= kRecordHeaderBytes;
  }
  const uint8_t* At(uint64_t at) const { return bytes_.data() + (at - begin_); }
  uint64_t end() const { return begin_ + size_; }

  // The file must have `size` bytes from `at` on.
  Status Read(source::Source* source, uint64_t at, size_t size) {
    begin_ = at;
    size_ = 0;
    Result<size_t> got = source->ReadAt(at, std::span(bytes_).first(size));
    if (!got.ok()) return got.status();
    if (*got < size) {
      return NameFile(Shrank(source->stream_size(), at + *got), source->name());
    }
    size_ = size;
    return Status();
  }

 private:
  std::vector<uint8_t> bytes_;
  uint64_t begin_ = 0;
  size_t size_ = 0;
};

class SeamFinder {
 public:
  explicit SeamFinder(source::Source* source)
      : source_(source), end_(source->stream_size()) {}

  Result<uint64_t> FindFrom(uint64_t from) {
    uint64_t at = std::min(from, end_);
    while (end_ - at >= kRecordOverhead) {
      if (!scanned_.HasHeader(at)) {
        const Status status = scanned_.Read(source_, at, SizeAt(at, kMaxRead));
        if (!status.ok()) return status;
      }
      at += FindHeader({.data = scanned_.At(at),
                        .size = static_cast<size_t>(scanned_.end() - at),
                        .offset = at,
                        .max_payload = ~uint64_t{0}});
      if (!scanned_.HasHeader(at)) continue;
      Result<bool> leads_on = LeadsOn(at);
      if (!leads_on.ok()) return leads_on.status();
      if (*leads_on) return at;
      ++at;
    }
    return end_;
  }

 private:
  // Whether a chain begins at `begin`. Records of a broken chain are not
  // followed again, so the time is linear in the bytes, whatever they are.
  Result<bool> LeadsOn(uint64_t begin) {
    broken_.erase(broken_.begin(), broken_.lower_bound(begin));
    std::vector<uint64_t> chain;
    size_t wanted = kMinRead;
    uint64_t step = 0;
    for (uint64_t at = begin; at < end_; at += step) {
      if (chain.size() > kSeamRecords && at - begin >= kSeamBytes) break;
      chain.push_back(at);
      if (end_ - at < kRecordOverhead || broken_.contains(at)) {
        return Break(chain);
      }
      const Piece& piece = scanned_.HasHeader(at) ? scanned_ : followed_;
      if (!piece.HasHeader(at)) {
        const size_t size = step > kFarBytes ? kRecordHeaderBytes : wanted;
        const Status status = followed_.Read(source_, at, SizeAt(at, size));
        if (!status.ok()) return status;
        if (size == wanted) wanted = std::min(2 * wanted, kMaxRead);
      }
      const uint64_t length = LoadLittle64(piece.At(at));
      if (!IsRecordHeader(piece.At(at)) ||
          length > end_ - at - kRecordOverhead) {
        return Break(chain);
      }
      step = kRecordOverhead + length;
    }
    return true;
  }

  bool Break(const std::vector<uint64_t>& chain) {
    broken_.insert(chain.begin(), chain.end());
    return false;
  }

  size_t SizeAt(uint64_t at, size_t wanted) const {
    return static_cast<size_t>(std::min<uint64_t>(wanted, end_ - at));
  }

  source::Source* const source_;
  const uint64_t end_;
  Piece scanned_;
  Piece followed_;
  std::set<uint64_t> broken_;
};

}  // namespace

Result<uint64_t> FindSeam(source::Source* source, uint64_t from) {
  if (from == 0) return uint64_t{0};
  return SeamFinder(source).FindFrom(from);
}

}  // namespace headrace::record
