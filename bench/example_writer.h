// ExampleWriter: serialized tf.train.Example records as most writers produce
// them: one Features message, one entry a key, packed lists.

#ifndef HEADRACE_BENCH_EXAMPLE_WRITER_H_
#define HEADRACE_BENCH_EXAMPLE_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/random.h"

namespace headrace::bench {

// Appends the varint of `value`.
void AppendVarint(uint64_t value, std::string* out);

// Appends one TFRecord: header, payload, footer, with the right CRCs.
void AppendRecord(std::string_view payload, std::string* file);

class ExampleWriter {
 public:
  // One entry of the record being made. Keys are not sorted here.
  void AddInt64s(std::string_view key, std::span<const int64_t> values);
  void AddFloats(std::string_view key, std::span<const float> values);
  void AddBytes(std::string_view key, std::string_view value);

  size_t num_entries() const { return extents_.size(); }

  // Puts the entries in random order.
  void Shuffle(Random* random);

  // Ends the record; its bytes stay valid until the next entry is added.
  std::string_view Finish();

 private:
  struct Extent {
    size_t begin;
    size_t size;
  };

  // Writes around the list's bytes what leads to them; `kind` is the number of
  // the field of Feature, `size` that of the list's only field.
  void BeginEntry(std::string_view key, uint8_t kind, size_t size);
  void EndEntry();

  std::string entries_;
  std::vector<Extent> extents_;
  std::string packed_;
  std::string payload_;
};

}  // namespace headrace::bench

#endif  // HEADRACE_BENCH_EXAMPLE_WRITER_H_
