#include "src/input/record/framer.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/input/record/framer.cc"  // this file
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "src/base/little_endian.h"
#include "src/base/record_header.h"
#include "src/input/crc32c/crc32c-inl.h"

HWY_BEFORE_NAMESPACE();
namespace headrace::record {
namespace HWY_NAMESPACE {

constexpr size_t kRecordsAhead = 4;

// Compares masked CRCs, because the header stores a masked one.
HWY_INLINE bool HeaderIsRight(uint64_t length, const uint8_t* header) {
  return LoadLittle32(header + 8) == MaskCrc32c(Crc32cOfLength(length));
}

size_t FrameRecordsImpl(const Stretch& stretch, std::span<RecordSpan> spans) {
  const uint8_t* p = stretch.data;
  const uint8_t* const end = p + stretch.size;
  size_t count = 0;
  while (count < spans.size() &&
         static_cast<size_t>(end - p) >= kRecordOverhead) {
    const uint64_t length = LoadLittle64(p);
    if (!HeaderIsRight(length, p)) break;
    if (length > stretch.max_payload) break;
    if (length > static_cast<size_t>(end - p) - kRecordOverhead) break;
    const size_t size = static_cast<size_t>(length);
    const uint8_t* const payload = p + kRecordHeaderBytes;
    if (stretch.verify_payload && !PayloadIsRight(payload, size)) break;
    // The next header's place is known only once this one has arrived. Records
    // of a file are mostly of similar size, so this prefetches where a later
    // one should be.
    __builtin_prefetch(p + std::min(kRecordsAhead * (size + kRecordOverhead),
                                    static_cast<size_t>(end - p)));
    RecordSpan& span = spans[count++];
    span.payload = payload;
    span.offset = stretch.offset + static_cast<uint64_t>(p - stretch.data);
    span.size = static_cast<uint32_t>(size);
    span.recovered = stretch.recovered;
    p = payload + size + 4;
  }
  return count;
}

size_t FindHeaderImpl(const Stretch& stretch) {
  if (stretch.size < kRecordHeaderBytes) return 0;
  const size_t last = stretch.size - kRecordHeaderBytes;
  for (size_t i = 0; i <= last; ++i) {
    const uint8_t* const p = stretch.data + i;
    const uint64_t length = LoadLittle64(p);
    // In random bytes, with the default limit, one position in 2^33 gets past
    // this.
    if (length > stretch.max_payload) continue;
    if (HeaderIsRight(length, p)) return i;
  }
  return last + 1;
}

bool HeaderIsIntactImpl(const uint8_t* header) {
  return HeaderIsRight(LoadLittle64(header), header);
}

bool PayloadIsIntactImpl(const RecordSpan& span) {
  return PayloadIsRight(span.payload, span.size);
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace::record
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace::record {

HWY_EXPORT(FrameRecordsImpl);
HWY_EXPORT(FindHeaderImpl);
HWY_EXPORT(HeaderIsIntactImpl);
HWY_EXPORT(PayloadIsIntactImpl);

size_t FrameRecords(const Stretch& stretch, std::span<RecordSpan> spans) {
  return HWY_DYNAMIC_DISPATCH(FrameRecordsImpl)(stretch, spans);
}

size_t FindHeader(const Stretch& stretch) {
  return HWY_DYNAMIC_DISPATCH(FindHeaderImpl)(stretch);
}

bool HeaderIsIntact(const uint8_t* header) {
  return HWY_DYNAMIC_DISPATCH(HeaderIsIntactImpl)(header);
}

bool PayloadIsIntact(const RecordSpan& span) {
  return HWY_DYNAMIC_DISPATCH(PayloadIsIntactImpl)(span);
}

}  // namespace headrace::record
#endif  // HWY_ONCE
