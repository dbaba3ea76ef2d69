#include "src/stats/sketch/value_sample.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "headrace/message.h"
#include "src/stats/sketch/state_bytes.h"
#include "wire/cursor.h"
#include "wire/wire.h"

namespace headrace::stats {
namespace {

uint32_t BigEndian(std::string_view bytes, size_t at, size_t size) {
  uint32_t value = 0;
  for (size_t i = at; i < at + size; ++i) {
    value = value << 8 | static_cast<uint8_t>(bytes[i]);
  }
  return value;
}

uint32_t LittleEndian(std::string_view bytes, size_t at, size_t size) {
  uint32_t value = 0;
  for (size_t i = at + size; i > at; --i) {
    value = value << 8 | static_cast<uint8_t>(bytes[i - 1]);
  }
  return value;
}

// Walks the segments up to the frame header (ITU T.81, B.2.2), which has height
// and width.
Look LookAtJpeg(std::string_view value) {
  Look look = {.look = BytesLook::kJpeg};
  for (size_t at = 2; at + 9 <= value.size();) {
    const uint32_t marker = BigEndian(value, at, 2);
    // Any number of fill bytes may precede a marker.
    if (marker == 0xFFFF) {
      ++at;
      continue;
    }
    const bool is_frame = marker >= 0xFFC0 && marker <= 0xFFCF &&
                          marker != 0xFFC4 && marker != 0xFFC8 &&
                          marker != 0xFFCC;
    if (is_frame) {
      look.height = BigEndian(value, at + 5, 2);
      look.width = BigEndian(value, at + 7, 2);
      return look;
    }
    const size_t size = BigEndian(value, at + 2, 2);
    if (marker < 0xFF01 || size < 2) return look;
    at += 2 + size;
  }
  return look;
}

// RFC 9649: the first chunk is VP8, VP8L or VP8X.
Look LookAtWebp(std::string_view value) {
  Look look = {.look = BytesLook::kWebp};
  if (value.size() < 30) return look;
  const std::string_view chunk = value.substr(12, 4);
  if (chunk == "VP8 ") {
    look.width = LittleEndian(value, 26, 2) & 0x3FFF;
    look.height = LittleEndian(value, 28, 2) & 0x3FFF;
  } else if (chunk == "VP8L") {
    const uint32_t bits = LittleEndian(value, 21, 4);
    look.width = (bits & 0x3FFF) + 1;
    look.height = (bits >> 14 & 0x3FFF) + 1;
  } else if (chunk == "VP8X") {
    look.width = LittleEndian(value, 24, 3) + 1;
    look.height = LittleEndian(value, 27, 3) + 1;
  }
  return look;
}

std::optional<Look> LookAtPicture(std::string_view value) {
  if (value.starts_with("\xFF\xD8\xFF")) return LookAtJpeg(value);
  if (value.starts_with("\x89PNG\r\n\x1A\n")) {
    Look look = {.look = BytesLook::kPng};
    if (value.size() >= 24 && value.substr(12, 4) == "IHDR") {
      look.width = BigEndian(value, 16, 4);
      look.height = BigEndian(value, 20, 4);
    }
    return look;
  }
  if (value.starts_with("GIF87a") || value.starts_with("GIF89a")) {
    Look look = {.look = BytesLook::kGif};
    if (value.size() >= 10) {
      look.width = LittleEndian(value, 6, 2);
      look.height = LittleEndian(value, 8, 2);
    }
    return look;
  }
  if (value.size() >= 12 && value.starts_with("RIFF") &&
      value.substr(8, 4) == "WEBP") {
    return LookAtWebp(value);
  }
  return std::nullopt;
}

bool IsControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte == 0x7F || (byte < 0x20 && c != '\t' && c != '\n' && c != '\r');
}

bool IsNumber(std::string_view text) {
  double value = 0;
  const bool begins =
      !text.empty() && text.size() <= 40 &&
      (absl::ascii_isdigit(static_cast<unsigned char>(text[0])) ||
       text[0] == '-' || text[0] == '+' || text[0] == '.');
  return begins &&
         absl::SimpleAtod(absl::string_view(text.data(), text.size()), &value);
}

// Judges an object or an array by its ends: reading all of it is not worth the
// time.
bool IsJson(std::string_view text) {
  while (!text.empty() &&
         absl::ascii_isspace(static_cast<unsigned char>(text.back()))) {
    text.remove_suffix(1);
  }
  if (text.size() < 2) return false;
  return (text.front() == '{' && text.back() == '}') ||
         (text.front() == '[' && text.back() == ']');
}

// Real messages have small field numbers.
constexpr uint32_t kMaxField = 200;
// A tensorflow.TensorProto begins with its dtype and its shape.
constexpr std::array<uint32_t, 2> kTensorTags = {wire::Tag(1, wire::kVarint),
                                                 wire::Tag(2, wire::kLen)};

BytesLook LookAtProto(std::string_view value) {
  const wire::Span span = {reinterpret_cast<const uint8_t*>(value.data()),
                           value.size()};
  wire::Cursor cursor(span);
  std::array<uint32_t, 2> first = {};
  size_t fields = 0;
  for (; !cursor.done(); ++fields) {
    uint32_t tag = 0;
    if (!cursor.ReadTag(&tag) || tag >> 3 > kMaxField ||
        !cursor.SkipValue(tag, 1)) {
      return BytesLook::kOther;
    }
    if (fields < first.size()) first[fields] = tag;
  }
  if (fields < 2) return BytesLook::kOther;
  return first == kTensorTags ? BytesLook::kTensor : BytesLook::kProto;
}

bool IsPicture(BytesLook look) {
  return look == BytesLook::kJpeg || look == BytesLook::kPng ||
         look == BytesLook::kGif || look == BytesLook::kWebp;
}

}  // namespace

Look LookAt(std::string_view value) {
  if (const std::optional<Look> picture = LookAtPicture(value)) return *picture;
  const bool is_text =
      std::none_of(value.begin(), value.end(), IsControl) && IsUtf8(value);
  if (!is_text) return {.look = LookAtProto(value)};
  if (IsNumber(value)) return {.look = BytesLook::kNumber};
  if (IsJson(value)) return {.look = BytesLook::kJson};
  return {.look = BytesLook::kText};
}

void ValueSample::Add(std::string_view value, uint64_t hash, bool pictures) {
  const Look look = LookAt(value);
  BytesSample sample = {.value = std::string(value.substr(0, kSampleBytes)),
                        .size = value.size(),
                        .look = look.look,
                        .width = look.width,
                        .height = look.height};
  if (pictures && IsPicture(look.look) && value.size() <= kMaxPictureBytes) {
    sample.picture = value;
  }
  Insert({hash, std::move(sample)});
}

void ValueSample::Insert(Kept kept) {
  const auto at = std::lower_bound(
      kept_.begin(), kept_.end(), kept.first,
      [](const Kept& a, uint64_t hash) { return a.first < hash; });
  if (at != kept_.end() && at->first == kept.first) return;
  kept_.insert(at, std::move(kept));
  if (kept_.size() > kMax) kept_.pop_back();
  if (kept_.size() == kMax) limit_ = kept_.back().first;
  size_t pictures = 0;
  for (auto& [hash, sample] : kept_) {
    if (sample.picture.empty() || ++pictures <= kMaxPictures) continue;
    std::string().swap(sample.picture);
  }
}

void ValueSample::Merge(const ValueSample& other) {
  for (const Kept& kept : other.kept_) {
    if (Takes(kept.first)) Insert(kept);
  }
}

std::vector<BytesSample> ValueSample::ToSamples() const {
  std::vector<BytesSample> samples;
  for (const auto& [hash, sample] : kept_) samples.push_back(sample);
  return samples;
}

void ValueSample::Append(std::string* out) const {
  AppendFields(out, uint64_t{kept_.size()});
  for (const auto& [hash, sample] : kept_) {
    AppendFields(out, hash, sample.value, sample.size, sample.look,
                 sample.width, sample.height, sample.picture);
  }
}

bool ValueSample::Parse(std::string_view* bytes) {
  uint64_t size = 0;
  if (!TakeFields(bytes, &size) || size > kMax) return false;
  for (uint64_t i = 0; i < size; ++i) {
    Kept kept;
    BytesSample& sample = kept.second;
    if (!TakeFields(bytes, &kept.first, &sample.value, &sample.size,
                    &sample.look, &sample.width, &sample.height,
                    &sample.picture) ||
        sample.value.size() > kSampleBytes ||
        sample.picture.size() > kMaxPictureBytes) {
      return false;
    }
    Insert(std::move(kept));
  }
  return kept_.size() == size;
}

}  // namespace headrace::stats
