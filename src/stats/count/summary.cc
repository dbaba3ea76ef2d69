// Look-ups in StatsSummary and Distribution, and the names of BytesLook.

#include <algorithm>
#include <cmath>

#include "headrace/stats_summary.h"

namespace headrace {
namespace {

constexpr EnumName<BytesLook> kBytesLookNames[] = {
    {BytesLook::kOther, "other"},   {BytesLook::kText, "text"},
    {BytesLook::kNumber, "number"}, {BytesLook::kJson, "json"},
    {BytesLook::kJpeg, "jpeg"},     {BytesLook::kPng, "png"},
    {BytesLook::kGif, "gif"},       {BytesLook::kWebp, "webp"},
    {BytesLook::kTensor, "tensor"}, {BytesLook::kProto, "proto"}};

}  // namespace

template <>
std::span<const EnumName<BytesLook>> EnumNames() {
  return kBytesLookNames;
}

template <class T>
T Distribution<T>::Quantile(double q) const {
  if (items.empty()) return T();
  const double wanted = std::ceil(q * static_cast<double>(total));
  double seen = 0;
  for (const Item& item : items) {
    seen += static_cast<double>(item.weight);
    if (seen >= wanted) return item.value;
  }
  return items.back().value;
}

template <class T>
uint64_t Distribution<T>::Rank(T value, bool inclusive) const {
  uint64_t rank = 0;
  for (const Item& item : items) {
    if (inclusive ? item.value > value : item.value >= value) break;
    rank += item.weight;
  }
  return rank;
}

template struct Distribution<int64_t>;
template struct Distribution<float>;
template struct Distribution<uint64_t>;

const FeatureSummary* StatsSummary::Find(std::string_view name,
                                         bool in_sequence) const {
  const auto found = std::find_if(
      features.begin(), features.end(), [&](const FeatureSummary& feature) {
        return feature.name == name && feature.in_sequence == in_sequence;
      });
  return found == features.end() ? nullptr : &*found;
}

}  // namespace headrace
