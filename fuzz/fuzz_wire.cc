// Any bytes are the fields of a message, a packed run, and text: cursor,
// kernels of every SIMD target and UTF-8 check are compared with the naive
// ways.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/fuzzing.h"
#include "tests/naive/naive_decoder.h"
#include "tests/random/mutator.h"
#include "tests/support/target_sweep.h"
#include "tests/support/wire_writer.h"
#include "wire/cursor.h"
#include "wire/utf8.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fuzz/fuzz_wire.cc"
#include "hwy/foreach_target.h"  // must come before highway.h

// This is not left to Highway: foreach_target.h would include it later.
#include "hwy/highway.h"
#include "wire/packed_varint-inl.h"

HWY_BEFORE_NAMESPACE();
namespace headrace::fuzzing {
namespace HWY_NAMESPACE {

wire::Fault CountRun(wire::Span run, size_t* count) {
  return wire::HWY_NAMESPACE::CountVarints(run, count);
}

wire::Fault DecodeRun(wire::Span run, int64_t* out, size_t* count) {
  return wire::HWY_NAMESPACE::DecodeVarints(run, out, count);
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace::fuzzing
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace::fuzzing {
namespace {

HWY_EXPORT(CountRun);
HWY_EXPORT(DecodeRun);

// A kernel may write so many values behind the last one.
constexpr size_t kSlackValues = 64;

// The input has memory of its own, so that a sanitizer sees a byte too far.
class Placed {
 public:
  Placed(std::string_view bytes, size_t slack)
      : size_(bytes.size()), data_(new uint8_t[bytes.size() + slack]) {
    if (size_ > 0) std::memcpy(data_.get(), bytes.data(), size_);
    std::memset(data_.get() + size_, 0xA5, slack);
  }
  wire::Span span() const { return {data_.get(), size_}; }

 private:
  size_t size_;
  std::unique_ptr<uint8_t[]> data_;
};

wire::Fault WalkFields(wire::Span span, const uint8_t** position) {
  wire::Cursor cursor(span);
  uint32_t tag;
  while (!cursor.done()) {
    *position = cursor.position();
    if (!cursor.ReadTag(&tag) || !cursor.SkipValue(tag, 0)) break;
    Require(cursor.position() > *position, "a field without a byte");
  }
  *position = cursor.position();
  return cursor.fault();
}

void CheckFields(std::string_view bytes) {
  const Placed placed(bytes, 0);
  const wire::Span span = placed.span();
  const uint8_t* position = span.data;
  const wire::Fault fault = WalkFields(span, &position);
  Require(testing::NaiveIsMessage(bytes) == (fault == wire::Fault::kNone),
          "fields are taken otherwise");
  Require(position >= span.data && position <= span.end(),
          "a position outside");
  Require(fault != wire::Fault::kNone || position == span.end(),
          "an end before the end");
}

void CheckText(std::string_view bytes) {
  const Placed placed(bytes, 0);
  Require(wire::IsUtf8(placed.span()) == testing::NaiveIsUtf8(bytes),
          "UTF-8 is taken otherwise");
}

void CheckRun(std::string_view bytes) {
  const auto expected = testing::NaiveInt64s(bytes);
  const Placed placed(bytes, wire::kSlackBytes);
  std::vector<int64_t> values(bytes.size() + kSlackValues);
  std::optional<wire::Fault> first;
  for (const testing::Target& target : testing::RunnableTargets()) {
    testing::ScopedTarget scope(target);
    size_t counted = 0, decoded = 0;
    const wire::Fault fault =
        HWY_DYNAMIC_DISPATCH(CountRun)(placed.span(), &counted);
    const wire::Fault again =
        HWY_DYNAMIC_DISPATCH(DecodeRun)(placed.span(), values.data(), &decoded);
    Require(fault == again, target.name + ": two opinions of a run");
    Require(fault == first.value_or(fault), target.name + ": another fault");
    first = fault;
    Require((fault == wire::Fault::kNone) == expected.has_value(),
            target.name + ": a run is taken otherwise");
    if (!expected) continue;
    Require(counted == expected->size() && decoded == counted,
            target.name + ": another count");
    Require(std::equal(expected->begin(), expected->end(), values.begin()),
            target.name + ": other values");
  }
}

}  // namespace

void CheckInput(std::string_view input) {
  CheckFields(input);
  CheckText(input);
  CheckRun(input);
}

std::string NewInput(Random* random) {
  testing::RandomExample examples(random->Bits(), {});
  return random->OneIn(2) ? examples.Next() : examples.NextSequence();
}

std::string ChangeInput(std::string_view input, Random* random) {
  switch (random->Below(4)) {
    case 0: {  // a varint of any width, well or badly written
      std::string bytes(input);
      bytes.insert(random->Below(bytes.size() + 1),
                   testing::Varint(static_cast<uint64_t>(random->Int64()),
                                   random->Below(12)));
      return bytes;
    }
    case 1: {  // crosses the edge of a window to and fro
      std::string bytes(input);
      bytes.insert(random->Below(bytes.size() + 1), random->Below(70),
                   static_cast<char>(random->Bits()));
      return bytes;
    }
    default:
      return testing::Mutator(random->Bits()).Mutate(input);
  }
}

}  // namespace headrace::fuzzing
#endif  // HWY_ONCE
