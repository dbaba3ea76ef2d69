#include "src/c/read_options.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace headrace::c {
namespace {

using spec::JsonNull;
using spec::JsonValue;

constexpr uint64_t kToTheEnd = ~uint64_t{0};

// A pair [begin, end] and the like; null stands for `open` behind the first.
// Empty unless there are `least` to `most` of them.
std::optional<std::vector<uint64_t>> WholesFrom(const JsonValue& value,
                                                size_t least, size_t most,
                                                uint64_t open) {
  const auto* const list = value.As<JsonValue::Array>();
  if (list == nullptr || list->size() < least || list->size() > most) {
    return std::nullopt;
  }
  std::vector<uint64_t> numbers;
  for (const JsonValue& item : *list) {
    const bool is_open = item.As<JsonNull>() && !numbers.empty();
    const auto number = is_open ? open : WholeFrom(item);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

bool IsListOfLists(const JsonValue& value) {
  const auto* const list = value.As<JsonValue::Array>();
  return list && !list->empty() && list->front().As<JsonValue::Array>();
}

void TakeBatchSize(Options* options, size_t* out) {
  const JsonValue* const value = options->Get("batch_size");
  if (value == nullptr) return;
  const auto* const text = value->As<std::string>();
  const auto whole = WholeFrom(*value);
  if (text && *text == "auto") {
    *out = kAutoBatchSize;
  } else if (whole && *whole >= 1 && *whole < kAutoBatchSize) {
    *out = static_cast<size_t>(*whole);
  } else {
    options->Refuse("batch_size", *value,
                    "a whole number, at least 1, or \"auto\"");
  }
}

// [index, count], or a list of such pairs, each of which divides further.
void TakeShard(Options* options, std::vector<Shard>* out) {
  const JsonValue* const value = options->Get("shard");
  if (value == nullptr) return;
  std::vector<const JsonValue*> pairs = {value};
  if (IsListOfLists(*value)) {
    pairs.clear();
    for (const JsonValue& pair : *value->As<JsonValue::Array>()) {
      pairs.push_back(&pair);
    }
  }
  for (const JsonValue* pair : pairs) {
    const auto shard = WholesFrom(*pair, 2, 2, 0);
    if (!shard || (*shard)[0] >= (*shard)[1] || (*shard)[1] > UINT32_MAX) {
      return options->Refuse(
          "shard", *pair,
          "[index, count] with index below count, or a list of such pairs");
    }
    out->push_back({.index = static_cast<uint32_t>((*shard)[0]),
                    .count = static_cast<uint32_t>((*shard)[1])});
  }
}

void TakeByteRange(Options* options, ByteRange* out) {
  const JsonValue* const value = options->Get("byte_range");
  if (value == nullptr) return;
  const auto range = WholesFrom(*value, 2, 2, kToTheEnd);
  if (!range || (*range)[0] > (*range)[1]) {
    return options->Refuse("byte_range", *value,
                           "[begin, end] or [begin, null], begin not behind "
                           "end");
  }
  *out = {.begin = (*range)[0], .end = (*range)[1]};
}

void TakeRecordRanges(Options* options, std::vector<RecordRange>* out) {
  const JsonValue* const value = options->Get("record_ranges");
  if (value == nullptr) return;
  const auto* const list = value->As<JsonValue::Array>();
  constexpr std::string_view kTakes =
      "a list with [begin, end] or [begin, end, records of the file] for each "
      "path";
  if (list == nullptr) return options->Refuse("record_ranges", *value, kTakes);
  for (const JsonValue& item : *list) {
    const auto range = WholesFrom(item, 2, 3, kToTheEnd);
    if (!range) return options->Refuse("record_ranges", item, kTakes);
    out->push_back(
        {.begin = (*range)[0],
         .end = (*range)[1],
         .file_records = range->size() == 3 ? (*range)[2] : kToTheEnd});
  }
}

void TakeIndex(Options* options, IndexUse* use, std::string* directory) {
  std::string index = "auto";
  options->Take("index", &index);
  if (index == "required") {
    *use = IndexUse::kRequired;
  } else if (index == "none") {
    *use = IndexUse::kNone;
  } else if (index != "auto") {
    *directory = index;
  }
}

// 0 stands for one thread per processor.
void TakeThreads(Options* options, size_t* out) {
  options->Take("threads", out);
  if (*out == 0) *out = std::max(1u, std::thread::hardware_concurrency());
}

// Readers and datasets have these alike.
template <class T>
void TakeBoth(Options* options, T* out) {
  options->Take("verify", &out->verify_payload);
  options->Take("verify_unselected", &out->verify_unselected);
  options->Take("mmap", &out->mmap);
  options->Take("sample", &out->sample);
  options->Take("sample_bytes", &out->sample_bytes);
  options->Take("strict_columns", &out->strict_columns);
  options->TakeName("on_absent", &out->on_absent);
  TakeThreads(options, &out->threads);
  TakeIndex(options, &out->index, &out->index_directory);
  TakeRecordRanges(options, &out->record_ranges);
  TakeLimits(options, &out->limits);
}

}  // namespace

void TakeReadOptions(Options* options, ReadOptions* out) {
  TakeBoth(options, out);
  TakeBatchSize(options, &out->batch_size);
  TakeShard(options, &out->subshards);
  TakeByteRange(options, &out->range);
  options->TakeName("compression", &out->compression);
  options->TakeName("on_corrupt", &out->on_corrupt);
  options->TakeName("on_row_error", &out->on_row_error);
  options->Take("max_bad", &out->max_bad);
  options->Take("write_index", &out->write_index);
}

void TakeDatasetOptions(Options* options, DatasetOptions* out) {
  TakeBoth(options, out);
}

void TakeLimits(Options* options, Limits* out) {
  options->Take("max_record_bytes", &out->max_record_bytes);
  options->Take("max_batch_bytes", &out->max_batch_bytes);
  options->Take("max_inflated_bytes", &out->max_inflated_bytes);
  options->Take("max_reported", &out->max_reported);
}

void TakeArrowOptions(Options* options, ArrowOptions* out) {
  options->TakeName("bytes_as", &out->bytes_as);
}

}  // namespace headrace::c
