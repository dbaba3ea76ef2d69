// ValueSample keeps the values with the lowest hashes, a random sample of the
// distinct values, and what they look like. Equal data yield equal samples.

#ifndef HEADRACE_SRC_STATS_SKETCH_VALUE_SAMPLE_H_
#define HEADRACE_SRC_STATS_SKETCH_VALUE_SAMPLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/stats_summary.h"

namespace headrace::stats {

struct Look {
  BytesLook look = BytesLook::kOther;
  uint32_t width = 0;  // of a picture; 0 if its header does not say
  uint32_t height = 0;
};

// Returns what a value looks like. Pictures are recognised by how they begin,
// JSON by its first and last character, anything else from all its bytes.
Look LookAt(std::string_view value);

class ValueSample {
 public:
  static constexpr size_t kMax = 20;
  // Maximum number of pictures that are kept whole, and maximum bytes of each.
  static constexpr size_t kMaxPictures = 4;
  static constexpr size_t kMaxPictureBytes = size_t{64} << 10;

  // Whether Add would keep a value with this hash.
  bool Takes(uint64_t hash) const { return hash < limit_; }
  // Keeps a picture whole if `pictures`.
  void Add(std::string_view value, uint64_t hash, bool pictures);
  void Merge(const ValueSample& other);
  std::vector<BytesSample> ToSamples() const;

  void Append(std::string* out) const;
  bool Parse(std::string_view* bytes);

 private:
  using Kept = std::pair<uint64_t, BytesSample>;

  void Insert(Kept kept);

  std::vector<Kept> kept_;  // sorted by hash
  uint64_t limit_ = ~uint64_t{0};
};

}  // namespace headrace::stats

#endif  // HEADRACE_SRC_STATS_SKETCH_VALUE_SAMPLE_H_
