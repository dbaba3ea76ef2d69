#include "bench/varints/varint_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/varints/varint_kernels.cc"
#include "hwy/foreach_target.h"  // must come before highway.h

// This is not left to Highway: foreach_target.h would include it later.
#include "hwy/highway.h"
#include "wire/packed_varint-inl.h"

HWY_BEFORE_NAMESPACE();
namespace headrace::bench {
namespace HWY_NAMESPACE {
namespace kernel = headrace::wire::HWY_NAMESPACE;

uint64_t Count(std::span<const wire::Span> runs) {
  uint64_t total = 0;
  for (const wire::Span& run : runs) {
    size_t count = 0;
    if (kernel::CountVarints(run, &count) == wire::Fault::kNone) total += count;
  }
  return total;
}

uint64_t Decode(std::span<const wire::Span> runs, int64_t* out) {
  uint64_t total = 0;
  for (const wire::Span& run : runs) {
    size_t count = 0;
    kernel::DecodeVarints(run, out, &count);
    total += count;
  }
  return total;
}

uint64_t CountAndDecode(std::span<const wire::Span> runs, int64_t* out) {
  uint64_t total = 0;
  for (const wire::Span& run : runs) {
    size_t count = 0;
    if (kernel::CountVarints(run, &count) != wire::Fault::kNone) continue;
    kernel::DecodeVarints(run, out, &count);
    total += count;
  }
  return total;
}

size_t SlackValues() { return kernel::kVarintSlackValues; }

}  // namespace HWY_NAMESPACE
}  // namespace headrace::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace::bench {

HWY_EXPORT(Count);
HWY_EXPORT(Decode);
HWY_EXPORT(CountAndDecode);
HWY_EXPORT(SlackValues);

size_t VarintSlackValues() { return HWY_DYNAMIC_DISPATCH(SlackValues)(); }

uint64_t CountLists(std::span<const wire::Span> runs) {
  return HWY_DYNAMIC_DISPATCH(Count)(runs);
}

uint64_t DecodeLists(std::span<const wire::Span> runs, int64_t* out) {
  return HWY_DYNAMIC_DISPATCH(Decode)(runs, out);
}

uint64_t CountAndDecodeLists(std::span<const wire::Span> runs, int64_t* out) {
  return HWY_DYNAMIC_DISPATCH(CountAndDecode)(runs, out);
}

uint64_t DecodeListsByteLoop(std::span<const wire::Span> runs, int64_t* out) {
  uint64_t total = 0;
  for (const wire::Span& run : runs) {
    int64_t* to = out;
    for (const uint8_t* p = run.data; p < run.end();) {
      uint64_t value = 0;
      uint8_t byte;
      unsigned shift = 0;
      do {
        byte = *p++;
        value |= uint64_t{byte & 0x7fu} << shift;
        shift += 7;
      } while (byte >= 0x80);
      *to++ = static_cast<int64_t>(value);
    }
    total += static_cast<uint64_t>(to - out);
  }
  return total;
}

std::vector<std::string> VarintTargets() {
  std::vector<std::string> names;
  for (int64_t target : hwy::SupportedAndGeneratedTargets()) {
    names.emplace_back(hwy::TargetName(target));
  }
  return names;
}

}  // namespace headrace::bench
#endif  // HWY_ONCE
