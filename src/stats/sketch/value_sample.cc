#include "src/stats/sketch/value_sample.h"

#include <algorithm>

#include "src/stats/sketch/bytes_look.h"
#include "src/stats/sketch/state_bytes.h"

namespace headrace::stats {
namespace {

bool IsPicture(BytesLook look) {
  return look == BytesLook::kJpeg || look == BytesLook::kPng ||
         look == BytesLook::kGif || look == BytesLook::kWebp;
}

}  // namespace

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
