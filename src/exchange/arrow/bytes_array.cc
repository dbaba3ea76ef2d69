#include "src/exchange/arrow/bytes_array.h"

#include <cassert>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace headrace::arrow {
namespace {

using Values = std::span<const std::string_view>;

constexpr size_t kMaxInt32 = std::numeric_limits<int32_t>::max();

Status TooManyBytes(const BytesValues& bytes, const char* what) {
  return Status(ErrorInfo{.code = ErrorCode::kLimit,
                          .message = what,
                          .feature = std::string(bytes.feature)});
}

template <class Offset>
Status BuildWithOffsets(const BytesValues& bytes, ExportMemory* memory,
                        Array* out) {
  const Values values = bytes.values;
  std::span<Offset> offsets;
  if (!memory->AllocateArray(3, &out->buffers) ||
      !memory->AllocateArray(values.size() + 1, &offsets)) {
    return Status::OutOfMemory();
  }
  uint64_t total = 0;
  offsets[0] = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    total += values[i].size();
    if (total > uint64_t{std::numeric_limits<Offset>::max()}) {
      return TooManyBytes(bytes, "more bytes than the offsets can reach");
    }
    offsets[i + 1] = static_cast<Offset>(total);
  }
  out->buffers[1] = {.data = offsets.data(), .size = offsets.size_bytes()};
  out->buffers[2] = {.size = total, .values = values};
  if (total == 0) out->buffers[2] = {.data = NoBytes()};
  return Status();
}

// The layout of a view in Arrow: the size, then either the value with zeros
// after it, or its first bytes and the place of the whole value.
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
  size_t buffer = 0;  // index among the variadic buffers
  size_t offset = 0;
};

// Each of the two classes below has a Put, which sets the place of one long
// value. It returns false if memory is exhausted.

// Makes buffers that have only the values, as few as possible.
class CompactBuffers {
 public:
  // Appends new buffers to `buffers`.
  explicit CompactBuffers(GrowingList<Buffer>* buffers) : buffers_(buffers) {}

  bool Put(Values values, size_t index, Place* place) {
    const size_t size = values[index].size();
    if (!started_ || buffer().size + size > kMaxInt32) {
      if (!buffers_->Append({.shortest = View::kMaxInline + 1})) return false;
      started_ = true;
      at_ = buffers_->size() - 1;
      first_ = index;
    }
    *place = {at_, static_cast<size_t>(buffer().size)};
    buffer().size += size;
    buffer().values = values.subspan(first_, index - first_ + 1);
    return true;
  }

 private:
  Buffer& buffer() { return buffers_->items()[at_]; }

  GrowingList<Buffer>* buffers_;
  bool started_ = false;
  size_t at_ = 0;     // the buffer being filled
  size_t first_ = 0;  // index of its first value
};

// Cuts the pinned stretches into buffers that 32-bit offsets can reach. A
// buffer extends from the first to the last byte of its values, and never
// crosses a gap between stretches, so all of it is readable. Values outside the
// stretches are copied to other buffers.
class PinnedBuffers {
 public:
  PinnedBuffers(std::span<const reader::PinnedBytes> pinned,
                ExportMemory* memory, GrowingList<Buffer>* buffers)
      : pinned_(pinned),
        buffers_(buffers),
        copies_(memory),
        compact_(buffers) {}

  bool Put(Values values, size_t index, Place* place) {
    const std::string_view value = values[index];
    const auto begin = reinterpret_cast<uintptr_t>(value.data());
    const uintptr_t end = begin + value.size();
    if (!Reaches(begin, end)) {
      if (FindCopy(value, place)) return true;
      if (!Seek(begin, end)) return AddCopy(value, place);
      if (!buffers_->Append({.data = value.data()})) return false;
      current_ = buffers_->size() - 1;
    }
    Buffer& buffer = buffers_->items()[current_];
    const auto base = reinterpret_cast<uintptr_t>(buffer.data);
    if (end - base > buffer.size) buffer.size = end - base;
    *place = {current_, begin - base};
    return true;
  }

 private:
  // Whether the last buffer can be extended to hold [begin, end).
  bool Reaches(uintptr_t begin, uintptr_t end) const {
    if (readable_end_ == 0) return false;
    const auto base =
        reinterpret_cast<uintptr_t>(buffers_->items()[current_].data);
    return begin >= base && end <= readable_end_ && end - base <= kMaxInt32;
  }

  // Finds the stretch of a value, and how far the memory after it is readable:
  // adjacent stretches, such as copies of records, are readable as one. Values
  // and stretches are both in row order, so the next stretch is near.
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

  // Finds the copy of a value outside all stretches. These values are defaults:
  // the same few, again and again.
  bool FindCopy(std::string_view value, Place* place) const {
    const auto found = known_.find(KeyOf(value));
    if (found == known_.end()) return false;
    *place = found->second;
    return true;
  }
  bool AddCopy(std::string_view value, Place* place) {
    if (!copies_.Append(value) ||
        !compact_.Put(copies_.items(), copies_.size() - 1, place)) {
      return false;
    }
    known_[KeyOf(value)] = *place;
    return true;
  }
  static std::pair<uintptr_t, size_t> KeyOf(std::string_view value) {
    return {reinterpret_cast<uintptr_t>(value.data()), value.size()};
  }

  uintptr_t Begin(size_t stretch) const {
    return reinterpret_cast<uintptr_t>(pinned_[stretch].data);
  }
  uintptr_t End(size_t stretch) const {
    return Begin(stretch) + pinned_[stretch].size;
  }

  std::span<const reader::PinnedBytes> pinned_;
  size_t at_ = 0;  // the search begins here
  GrowingList<Buffer>* buffers_;
  size_t current_ = 0;          // the last buffer of a stretch
  uintptr_t readable_end_ = 0;  // of that buffer; 0 before the first
  GrowingList<std::string_view> copies_;
  CompactBuffers compact_;
  std::map<std::pair<uintptr_t, size_t>, Place> known_;  // by address, size
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

Status CheckSizes(const BytesValues& bytes) {
  for (const std::string_view value : bytes.values) {
    if (value.size() > kMaxInt32) {
      return TooManyBytes(bytes, "a value is longer than a view can describe");
    }
  }
  return Status();
}

Status FinishViews(std::span<const View> views,
                   std::span<const Buffer> variadic, ExportMemory* memory,
                   Array* out) {
  if (!memory->AllocateArray(2 + variadic.size(), &out->buffers)) {
    return Status::OutOfMemory();
  }
  out->buffers[1] = {.data = views.data(), .size = views.size_bytes()};
  for (size_t i = 0; i < variadic.size(); ++i) {
    out->buffers[2 + i] = variadic[i];
  }
  out->num_variadic = variadic.size();
  return Status();
}

template <class Places>
Status BuildViews(const BytesValues& bytes, Places places,
                  const GrowingList<Buffer>& variadic, ExportMemory* memory,
                  Array* out) {
  Status status = CheckSizes(bytes);
  if (!status.ok()) return status;
  const Values values = bytes.values;
  std::span<View> views;
  if (!memory->AllocateArray(values.size(), &views))
    return Status::OutOfMemory();
  for (size_t i = 0; i < values.size(); ++i) {
    Place place;
    if (values[i].size() > View::kMaxInline && !places.Put(values, i, &place)) {
      return Status::OutOfMemory();
    }
    views[i] = MakeView(values[i], place);
  }
  return FinishViews(views, variadic.items(), memory, out);
}

}  // namespace

Status BuildOffsetBytes(const BytesValues& bytes, ExportMemory* memory,
                        Array* out) {
  return out->type == TypeId::kLargeBinary
             ? BuildWithOffsets<int64_t>(bytes, memory, out)
             : BuildWithOffsets<int32_t>(bytes, memory, out);
}

Status BuildSharedViews(const BytesValues& bytes,
                        std::span<const reader::PinnedBytes> pinned,
                        ExportMemory* memory, Array* out) {
  GrowingList<Buffer> variadic(memory);
  return BuildViews(bytes, PinnedBuffers(pinned, memory, &variadic), variadic,
                    memory, out);
}

Status BuildCompactViews(const BytesValues& bytes, ExportMemory* memory,
                         Array* out) {
  GrowingList<Buffer> variadic(memory);
  return BuildViews(bytes, CompactBuffers(&variadic), variadic, memory, out);
}

Status Gather(ExportMemory* memory, std::span<Buffer> buffers) {
  for (Buffer& buffer : buffers) {
    if (buffer.gathered()) continue;
    if (!std::in_range<size_t>(buffer.size)) return Status::OutOfMemory();
    void* const data = memory->Allocate(static_cast<size_t>(buffer.size));
    if (!data) return Status::OutOfMemory();
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
