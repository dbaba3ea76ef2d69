#include "bench/sides/shape_loops.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/sides/shape_loops.cc"  // this file
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "wire/cursor.h"
#include "wire/wire.h"

HWY_BEFORE_NAMESPACE();
namespace headrace::bench {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE bool IsAlike(const uint8_t* record, const ShapeLoops::Shape& shape) {
  const hn::CappedTag<uint8_t, 64> d;
  const uint8_t* const bytes = shape.bytes.data();
  const uint8_t* const mask = shape.mask.data();
  for (size_t i = 0; i < shape.size; i += hn::Lanes(d)) {
    const auto differs =
        hn::And(hn::Xor(hn::LoadU(d, record + i), hn::LoadU(d, bytes + i)),
                hn::LoadU(d, mask + i));
    if (!hn::AllTrue(d, hn::Eq(differs, hn::Zero(d)))) return false;
  }
  return true;
}

template <bool kCopies>
HWY_INLINE uint64_t Loop(std::span<const std::string_view> payloads,
                         const ShapeLoops::Shape& shape) {
  const uint32_t* const places = shape.places.data();
  float* const* const columns = shape.columns.data();
  const size_t num_columns = shape.places.size();
  size_t row = 0;
  uint64_t alike = 0;
  for (const std::string_view payload : payloads) {
    const auto* const record = reinterpret_cast<const uint8_t*>(payload.data());
    if (payload.size() != shape.size || !IsAlike(record, shape)) continue;
    ++alike;
    if constexpr (kCopies) {
      for (size_t i = 0; i < num_columns; ++i) {
        std::memcpy(columns[i] + row, record + places[i], sizeof(float));
      }
      if (++row == shape.batch_size) row = 0;
    }
  }
  return alike;
}

uint64_t CompareImpl(std::span<const std::string_view> payloads,
                     const ShapeLoops::Shape& shape) {
  return Loop<false>(payloads, shape);
}

uint64_t CompareAndCopyImpl(std::span<const std::string_view> payloads,
                            const ShapeLoops::Shape& shape) {
  return Loop<true>(payloads, shape);
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace::bench {
namespace {

HWY_EXPORT(CompareImpl);
HWY_EXPORT(CompareAndCopyImpl);

constexpr size_t kSlack = 64;

// Gives where the values of a record stand: a float is the last thing of its
// entry. Empty where something else than entries is there.
std::vector<uint32_t> PlacesOf(wire::Span record) {
  std::vector<uint32_t> places;
  wire::Cursor message(record);
  uint32_t tag;
  wire::Span features;
  if (!message.ReadTag(&tag) || tag != wire::Tag(1, wire::kLen) ||
      !message.ReadLen(&features) || !message.done()) {
    return places;
  }
  wire::Cursor cursor(features);
  while (!cursor.done()) {
    wire::Span entry;
    if (!cursor.ReadTag(&tag) || tag != wire::Tag(1, wire::kLen) ||
        !cursor.ReadLen(&entry) || entry.size < 4) {
      return {};
    }
    places.push_back(static_cast<uint32_t>(entry.end() - 4 - record.data));
  }
  return places;
}

}  // namespace

std::optional<ShapeLoops> ShapeLoops::Of(
    std::span<const std::string_view> payloads, size_t batch_size) {
  if (payloads.empty()) return std::nullopt;
  const std::string_view first = payloads[0];
  ShapeLoops loops;
  loops.payloads_ = payloads;
  Shape& shape = loops.shape_;
  shape.size = first.size();
  shape.batch_size = batch_size;
  shape.bytes.assign(first.begin(), first.end());
  shape.mask.assign(first.size(), 0xFF);
  shape.places =
      PlacesOf({reinterpret_cast<const uint8_t*>(first.data()), first.size()});
  for (const uint32_t place : shape.places) {
    std::fill_n(&shape.mask[place], sizeof(float), uint8_t{0});
    loops.values_.emplace_back(batch_size);
    shape.columns.push_back(loops.values_.back().data());
  }
  shape.bytes.resize(first.size() + kSlack);
  shape.mask.resize(first.size() + kSlack);
  if (shape.places.empty() || loops.Compare() != payloads.size()) {
    return std::nullopt;
  }
  return loops;
}

uint64_t ShapeLoops::Compare() const {
  return HWY_DYNAMIC_DISPATCH(CompareImpl)(payloads_, shape_);
}

uint64_t ShapeLoops::CompareAndCopy() {
  return HWY_DYNAMIC_DISPATCH(CompareAndCopyImpl)(payloads_, shape_);
}

}  // namespace headrace::bench
#endif  // HWY_ONCE
