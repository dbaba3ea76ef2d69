#include "src/arrow/bytes_array.h"

#include <cassert>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

namespace headrace::arrow {
namespace {

using Values = std::span<const std::string_view>;

constexpr size_t kMaxInt32 = std::numeric_limits<int32_t>::max();

Status TooManyBytes(const Column& column, const char* what) {
  return Status(ErrorInfo{.code = ErrorCode::kLimit,
                          .message = what,
                          .feature = std::string(column.name)});
}

template <class Offset>
Status BuildWithOffsets(const Column& column, ExportMemory* memory,
                        Array* out) {
  const Values values = column.bytes();
  std::span<Offset> offsets;
  if (!memory->AllocateArray(3, &out->buffers) ||
      !memory->AllocateArray(values.size() + 1, &offsets)) {
    return OutOfMemory();
  }
  uint64_t total = 0;
  offsets[0] = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    total += values[i].size();
    if (total > uint64_t{std::numeric_limits<Offset>::max()}) {
      return TooManyBytes(column, "more bytes than the offsets can reach");
    }
    offsets[i + 1] = static_cast<Offset>(total);
  }
  out->buffers[1] = {.data = offsets.data(), .size = offsets.size_bytes()};
  out->buffers[2] = {.size = total, .values = values};
  if (total == 0) out->buffers[2] = {.data = NoBytes()};
  return Status();
}

// The layout that Arrow gives a view: the size, and then either the value with
// zeros after it, or its first bytes and where all of them are.
struct View {
  static constexpr size_t kMaxInline = 12;
  struct Reference {
    char prefix[4];
    int32_t buffer;
    int32_t offset;
  };

  int32_t size;
  union {
    char bytes[kMaxInline];
    Reference reference;
  };
};
static_assert(sizeof(View) == 16);

struct Place {
  size_t buffer = 0;  // among the variadic ones
  size_t offset = 0;
};

enum class Placed : uint8_t { kYes, kOutside, kOutOfMemory };

// Cuts the pinned stretches into buffers that 32-bit offsets reach. A buffer
// goes from the first to the last byte that a value of it has, and never over
// a gap between stretches: all of it is readable.
class PinnedBuffers {
 public:
  PinnedBuffers(std::span<const reader::PinnedBytes> pinned,
                ExportMemory* memory)
      : pinned_(pinned), buffers_(memory) {}

  Placed Put(Values values, size_t index, Place* place) {
    const std::string_view value = values[index];
    const auto begin = reinterpret_cast<uintptr_t>(value.data());
    const uintptr_t end = begin + value.size();
    if (!Reaches(begin, end)) {
      if (!Seek(begin, end)) return Placed::kOutside;
      if (!buffers_.Append({.data = value.data()})) return Placed::kOutOfMemory;
    }
    Buffer& buffer = buffers_.back();
    const auto base = reinterpret_cast<uintptr_t>(buffer.data);
    if (end - base > buffer.size) buffer.size = end - base;
    *place = {buffers_.size() - 1, begin - base};
    return Placed::kYes;
  }
  std::span<const Buffer> buffers() const { return buffers_.items(); }

 private:
  // Whether the last buffer can be made to hold [begin, end).
  bool Reaches(uintptr_t begin, uintptr_t end) const {
    if (buffers_.size() == 0) return false;
    const auto base = reinterpret_cast<uintptr_t>(buffers_.back().data);
    return begin >= base && end <= readable_end_ && end - base <= kMaxInt32;
  }

  // Finds the stretch of a value, and how far one can read on from there:
  // copies of records, for one, lie side by side and are a stretch each.
  // Values and stretches are both in row order, so the next one is near.
  bool Seek(uintptr_t begin, uintptr_t end) {
    for (size_t tried = 0; tried < pinned_.size(); ++tried) {
      if (begin >= Begin(at_) && end <= End(at_)) {
        while (at_ + 1 < pinned_.size() && Begin(at_ + 1) == End(at_)) ++at_;
        readable_end_ = End(at_);
        return true;
      }
      at_ = at_ + 1 < pinned_.size() ? at_ + 1 : 0;
    }
    return false;
  }

  uintptr_t Begin(size_t stretch) const {
    return reinterpret_cast<uintptr_t>(pinned_[stretch].data);
  }
  uintptr_t End(size_t stretch) const {
    return Begin(stretch) + pinned_[stretch].size;
  }

  std::span<const reader::PinnedBytes> pinned_;
  size_t at_ = 0;               // where to look first
  uintptr_t readable_end_ = 0;  // from the last buffer on
  GrowingList<Buffer> buffers_;
};

// The long values and nothing else, in as few buffers as possible.
class CompactBuffers {
 public:
  explicit CompactBuffers(ExportMemory* memory) : buffers_(memory) {}

  Placed Put(Values values, size_t index, Place* place) {
    const size_t size = values[index].size();
    if (buffers_.size() == 0 || buffers_.back().size + size > kMaxInt32) {
      first_ = index;
      if (!buffers_.Append({.shortest = View::kMaxInline + 1})) {
        return Placed::kOutOfMemory;
      }
    }
    Buffer& buffer = buffers_.back();
    *place = {buffers_.size() - 1, static_cast<size_t>(buffer.size)};
    buffer.size += size;
    buffer.values = values.subspan(first_, index - first_ + 1);
    return Placed::kYes;
  }
  std::span<const Buffer> buffers() const { return buffers_.items(); }

 private:
  size_t first_ = 0;  // value of the last buffer
  GrowingList<Buffer> buffers_;
};

View MakeView(std::string_view value, const Place& place) {
  View view = {.size = static_cast<int32_t>(value.size()), .bytes = {}};
  if (value.size() <= View::kMaxInline) {
    if (!value.empty()) std::memcpy(view.bytes, value.data(), value.size());
    return view;
  }
  view.reference = {.prefix = {value[0], value[1], value[2], value[3]},
                    .buffer = static_cast<int32_t>(place.buffer),
                    .offset = static_cast<int32_t>(place.offset)};
  return view;
}

template <class Buffers>
Placed FillViews(Values values, Buffers* buffers, std::span<View> views) {
  for (size_t i = 0; i < values.size(); ++i) {
    Place place;
    if (values[i].size() > View::kMaxInline) {
      const Placed placed = buffers->Put(values, i, &place);
      if (placed != Placed::kYes) return placed;
    }
    views[i] = MakeView(values[i], place);
  }
  return Placed::kYes;
}

Status FinishViews(std::span<const View> views,
                   std::span<const Buffer> variadic, ExportMemory* memory,
                   Array* out) {
  if (!memory->AllocateArray(2 + variadic.size(), &out->buffers)) {
    return OutOfMemory();
  }
  out->buffers[1] = {.data = views.data(), .size = views.size_bytes()};
  for (size_t i = 0; i < variadic.size(); ++i) {
    out->buffers[2 + i] = variadic[i];
  }
  out->num_variadic = variadic.size();
  return Status();
}

}  // namespace

Status BuildOffsetBytes(const Column& column, ExportMemory* memory,
                        Array* out) {
  return out->type == TypeId::kLargeBinary
             ? BuildWithOffsets<int64_t>(column, memory, out)
             : BuildWithOffsets<int32_t>(column, memory, out);
}

Status BuildViews(const Column& column,
                  std::span<const reader::PinnedBytes> pinned,
                  ExportMemory* memory, Array* out) {
  const Values values = column.bytes();
  for (const std::string_view value : values) {
    if (value.size() > kMaxInt32) {
      return TooManyBytes(column, "a value is longer than a view can say");
    }
  }
  std::span<View> views;
  if (!memory->AllocateArray(values.size(), &views)) return OutOfMemory();
  if (!pinned.empty()) {
    PinnedBuffers buffers(pinned, memory);
    const Placed placed = FillViews(values, &buffers, views);
    if (placed == Placed::kOutOfMemory) return OutOfMemory();
    if (placed == Placed::kYes) {
      return FinishViews(views, buffers.buffers(), memory, out);
    }
  }
  CompactBuffers buffers(memory);
  if (FillViews(values, &buffers, views) != Placed::kYes) return OutOfMemory();
  return FinishViews(views, buffers.buffers(), memory, out);
}

Status Gather(ExportMemory* memory, std::span<Buffer> buffers) {
  for (Buffer& buffer : buffers) {
    if (buffer.gathered()) continue;
    void* const data = memory->Allocate(buffer.size);
    if (!data) return OutOfMemory();
    auto* to = static_cast<char*>(data);
    for (const std::string_view value : buffer.values) {
      if (value.empty() || value.size() < buffer.shortest) continue;
      std::memcpy(to, value.data(), value.size());
      to += value.size();
    }
    assert(to == static_cast<char*>(data) + buffer.size);
    buffer.data = data;
  }
  return Status();
}

}  // namespace headrace::arrow
