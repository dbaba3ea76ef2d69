#include "src/stats/count/dataset_counter.h"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "src/plan/infer/message_judge.h"
#include "src/stats/sketch/state_bytes.h"

namespace headrace::stats {
namespace {

// Number of features of bytes whose tables of values have the full capacity. If
// there are more features, every table has less.
constexpr size_t kFeaturesWithFullRoom = 1024;
constexpr size_t kMinCapacity = 16;
// Maximum number of features that are counted. A record can name a new feature
// in a few bytes, but the counter of a feature takes kilobytes.
constexpr size_t kMaxFeatures = 20'000;

}  // namespace

DatasetCounter::DatasetCounter(StatsOptions options, bool padded_input)
    : BlockCounter(padded_input),
      options_(std::move(options)),
      selected_(options_.features.begin(), options_.features.end()),
      categorical_(options_.categorical.begin(), options_.categorical.end()) {}

DatasetCounter::Known* DatasetCounter::Find(std::string_view name,
                                            bool in_sequence) {
  Key key(in_sequence, name);
  const auto found = features_.find(key);
  if (found != features_.end()) return &found->second;
  const bool is_counted = selected_.empty() || selected_.contains(name);
  if (is_counted && num_counters_ == kMaxFeatures) {
    has_too_many_ = true;
    return nullptr;
  }
  Known* const known = &features_[key];
  if (is_counted) {
    ++num_counters_;
    known->counter.emplace(std::string(name), in_sequence,
                           !in_sequence && categorical_.contains(name));
    known->counter->SetCapacity(Capacity());
  }
  return known;
}

void DatasetCounter::NoteKind(Known* known, Kind kind) {
  if (known->kind != Kind::kNull || kind == Kind::kNull) return;
  known->kind = kind;
  ++num_kinds_;
}

// Returns the capacity of each feature's table of values. It never grows, and
// when it shrinks, exact tables are judged again. So which tables are exact in
// the end depends on the data alone, not on their order.
size_t DatasetCounter::Capacity() const {
  const size_t shares =
      num_with_bytes_ == 0 ? 0 : (num_with_bytes_ - 1) / kFeaturesWithFullRoom;
  return std::max(options_.max_distinct >> std::bit_width(shares),
                  std::min(options_.max_distinct, kMinCapacity));
}

// Calls `step` with the feature's counter, if the feature is counted.
template <class Step>
void DatasetCounter::AddTo(Known* known, const Step& step) {
  if (!known->counter) return;
  const bool had_bytes = known->counter->has_bytes();
  step(&*known->counter);
  if (!had_bytes && known->counter->has_bytes()) NoteBytes();
}

void DatasetCounter::NoteBytes() {
  const size_t before = Capacity();
  ++num_with_bytes_;
  if (Capacity() == before) return;
  for (auto& [key, known] : features_) {
    if (known.counter) known.counter->SetCapacity(Capacity());
  }
}

std::vector<ColumnField> DatasetCounter::columns() const {
  std::vector<ColumnField> columns;
  columns.reserve(features_.size());
  for (const auto& [key, known] : features_) {
    columns.push_back(
        {.name = key.second, .kind = known.kind, .in_sequence = key.first});
  }
  return columns;
}

void DatasetCounter::NotePlan(const plan::Program& /*program*/) {
  slots_.clear();
  for (auto& [key, known] : features_) slots_.push_back(&known);
}

void DatasetCounter::NoteRecords(std::span<const NumberedRecord> records) {
  for (const NumberedRecord& record : records) {
    if (has_field_) break;
    MessageJudge judge(options_.message);
    judge.Look(record.payload);
    has_field_ = judge.has_field();
  }
  if (options_.message != MessageType::kExample) return;
  for (const NumberedRecord& record : records) {
    num_lists_left_out_ += HasFeatureLists(record.payload);
  }
}

Status DatasetCounter::AddRecords(std::string_view file,
                                  std::span<const NumberedRecord> records,
                                  const Refused& refused) {
  file_ = file;
  NoteRecords(records);
  Status status = Add(records, refused);
  return status.ok() ? CheckLimits() : status;
}

void DatasetCounter::CountFeature(const FeatureRows& rows, Known* known,
                                  const RowContext& context) {
  NoteKind(known, rows.kind);
  AddTo(known, [&](FeatureCounter* counter) { counter->Add(rows, context); });
}

void DatasetCounter::CountRows(const column::ColumnSet& columns,
                               std::span<const NumberedRecord* const> records) {
  num_records_ += records.size();
  for (const NumberedRecord* record : records) {
    num_bytes_ += record->payload.size();
  }
  RowContext context;
  context.place = [&](size_t row) {
    return RowPlace{file_, records[row]->number};
  };
  context.keep_pictures = options_.pictures;
  if (splits()) {
    FeatureRows by;
    const FeatureRows* found = nullptr;
    const auto known = features_.find(Key(false, options_.by));
    for (uint32_t slot = 0; slot < slots_.size(); ++slot) {
      if (known == features_.end() || slots_[slot] != &known->second) continue;
      by = RowsOf(columns.builder(slot));
      found = &by;
    }
    FindClasses(found, records.size());
    context.classes = classes_;
  }
  for (uint32_t slot = 0; slot < slots_.size(); ++slot) {
    CountFeature(RowsOf(columns.builder(slot)), slots_[slot], context);
  }
}

Status DatasetCounter::Walk(const NumberedRecord& record) {
  Result<Message> message = ParseMessage(record.payload, options_.message);
  if (!message) return message.status();
  ++num_records_;
  num_bytes_ += record.payload.size();
  RowContext context;
  context.place = [&](size_t) { return RowPlace{file_, record.number}; };
  context.keep_pictures = options_.pictures;
  if (splits()) {
    const auto by = message->features.find(options_.by);
    classes_.assign(
        1, by == message->features.end() ? kNoClass : ClassOf(by->second));
    context.classes = classes_;
  }
  for (const auto& [name, feature] : message->features) {
    Known* const known = Find(name, false);
    if (known == nullptr) break;
    NoteKind(known, feature.kind);
    AddTo(known, [&, &value = feature](FeatureCounter* counter) {
      counter->AddFeature(value, context);
    });
  }
  for (const auto& [name, steps] : message->feature_lists) {
    Known* const known = Find(name, true);
    if (known == nullptr) break;
    for (const Feature& step : steps) NoteKind(known, step.kind);
    AddTo(known, [&, &list = steps](FeatureCounter* counter) {
      counter->AddList(list, context);
    });
  }
  return Status();
}

Status DatasetCounter::AddBatch(const Batch& batch,
                                std::span<const std::string> files) {
  if (!batch.tensors().empty()) {
    return {ErrorCode::kInvalidArgument,
            "statistics are of columns, and this batch has tensors: open the "
            "files without a spec"};
  }
  RowContext context;
  context.place = [&](size_t row) {
    const RowOrigin& origin = batch.origins()[row];
    return RowPlace{origin.file < files.size()
                        ? std::string_view(files[origin.file])
                        : std::string_view(),
                    origin.record};
  };
  context.keep_pictures = options_.pictures;
  ColumnRows rows;
  if (splits()) {
    const Column* const by = batch.Find(options_.by);
    const FeatureRows found = by == nullptr ? FeatureRows() : rows.Of(*by);
    FindClasses(by == nullptr ? nullptr : &found, batch.num_rows());
    context.classes = classes_;
  }
  num_records_ += batch.num_rows();
  has_field_ = true;  // the batch's reader reports another message
  for (const Column& column : batch.columns()) {
    Known* const known = Find(column.name, column.in_sequence);
    if (known == nullptr) break;
    CountFeature(rows.Of(column), known, context);
  }
  return CheckLimits();
}

void DatasetCounter::AddFile(const FileSummary& file) {
  FileSummary& known = files_[file.name];
  known.name = file.name;
  known.compression = file.compression;
  known.records += file.records;
  known.bytes += file.bytes;
}

void DatasetCounter::AddBad(uint64_t records, uint64_t regions) {
  bad_records_ += records;
  regions_ += regions;
}

// The class after the last allowed one stands for all further values;
// CheckLimits then returns an error.
uint32_t DatasetCounter::ClassOf(std::string_view value) {
  const auto found = class_indexes_.find(value);
  uint32_t index = 0;
  if (found != class_indexes_.end()) {
    index = found->second;
  } else if (class_counts_.size() > kMaxClasses) {
    index = kMaxClasses;
  } else {
    index = static_cast<uint32_t>(class_counts_.size());
    class_indexes_.emplace(value, index);
    class_counts_.push_back(0);
  }
  ++class_counts_[index];
  return index;
}

uint32_t DatasetCounter::ClassOf(const Feature& feature) {
  by_has_floats_ |= feature.kind == Kind::kFloat;
  if (feature.size() != 1 || feature.kind == Kind::kFloat) return kNoClass;
  return ClassOf(feature.kind == Kind::kInt64
                     ? std::to_string(feature.int64s[0])
                     : feature.bytes[0]);
}

void DatasetCounter::FindClasses(const FeatureRows* by, size_t num_rows) {
  classes_.assign(num_rows, kNoClass);
  if (by == nullptr || by->kind == Kind::kNull) return;
  by_has_floats_ |= by->kind == Kind::kFloat;
  if (by->kind == Kind::kFloat || by->in_sequence) return;
  for (size_t row = 0; row < by->rows.size; ++row) {
    size_t value = row;
    if (by->rows.offsets != nullptr) {
      value = static_cast<size_t>(by->rows.offsets[row]);
      if (by->rows.offsets[row + 1] != by->rows.offsets[row] + 1) continue;
    }
    classes_[row] =
        by->kind == Kind::kInt64
            ? ClassOf(std::to_string(by->ValuesAs<int64_t>()[value]))
            : ClassOf(by->ValuesAs<std::string_view>()[value]);
  }
}

Status DatasetCounter::CheckLimits() const {
  if (has_too_many_) {
    return {ErrorCode::kLimit,
            "the records have more than " + std::to_string(kMaxFeatures) +
                " features, and each takes memory: name those that statistics "
                "are made of (features)"};
  }
  if (by_has_floats_) {
    return {ErrorCode::kInvalidArgument,
            "records cannot be split by feature \"" + options_.by +
                "\", which has floats: name one of int64 or bytes"};
  }
  if (class_counts_.size() <= kMaxClasses) return Status();
  return {ErrorCode::kInvalidArgument,
          "records cannot be split by feature \"" + options_.by +
              "\", which has more than " + std::to_string(kMaxClasses) +
              " values"};
}

std::vector<Notice> DatasetCounter::ToNotices() const {
  std::vector<Notice> notices;
  if (!has_field_ && num_bytes_ > 0) {
    notices.push_back(
        OtherMessageNotice(options_.message, num_records_, num_bytes_));
  }
  if (num_lists_left_out_ > 0) {
    notices.push_back(ListsLeftOutNotice(num_lists_left_out_));
  }
  return notices;
}

StatsSummary DatasetCounter::ToSummary() const {
  StatsSummary summary = {.message = options_.message,
                          .records = num_records_,
                          .bytes = num_bytes_,
                          .bad_records = bad_records_,
                          .regions = regions_,
                          .by = options_.by};
  for (const auto& [name, file] : files_) summary.files.push_back(file);
  std::vector<std::pair<std::string, uint32_t>> classes(class_indexes_.begin(),
                                                        class_indexes_.end());
  std::stable_sort(classes.begin(), classes.end(),
                   [this](const auto& a, const auto& b) {
                     return class_counts_[a.second] > class_counts_[b.second];
                   });
  std::vector<uint32_t> indexes;
  for (const auto& [value, index] : classes) {
    summary.classes.emplace_back(value, class_counts_[index]);
    indexes.push_back(index);
  }
  for (const auto& [key, known] : features_) {
    if (!known.counter) continue;
    summary.features.push_back(known.counter->ToSummary(num_records_, indexes));
  }
  return summary;
}

Status DatasetCounter::Merge(const DatasetCounter& other) {
  if (other.options_.message != options_.message) {
    return {ErrorCode::kInvalidArgument,
            "statistics of Examples and of SequenceExamples cannot be merged"};
  }
  if (other.selected_ != selected_ || other.categorical_ != categorical_ ||
      other.options_.by != options_.by ||
      other.options_.max_distinct != options_.max_distinct) {
    return {ErrorCode::kInvalidArgument,
            "statistics that were made with other options cannot be merged"};
  }
  std::vector<uint32_t> classes(other.class_counts_.size(), kMaxClasses);
  for (const auto& [value, index] : other.class_indexes_) {
    classes[index] = ClassOf(value);
    class_counts_[classes[index]] += other.class_counts_[index] - 1;
  }
  by_has_floats_ |= other.by_has_floats_;
  for (const auto& [key, known] : other.features_) {
    Known* const mine = Find(key.second, key.first);
    if (mine == nullptr) break;
    NoteKind(mine, known.kind);
    AddTo(mine, [&, &theirs = known.counter](FeatureCounter* counter) {
      counter->Merge(*theirs, classes);
    });
  }
  num_records_ += other.num_records_;
  num_bytes_ += other.num_bytes_;
  num_lists_left_out_ += other.num_lists_left_out_;
  has_field_ |= other.has_field_;
  AddBad(other.bad_records_, other.regions_);
  for (const auto& [name, file] : other.files_) AddFile(file);
  return CheckLimits();
}

std::string DatasetCounter::Serialize() const {
  std::string out(kStateMagic);
  AppendFields(&out, options_.message == MessageType::kSequence,
               options_.pictures, uint64_t{options_.max_distinct}, options_.by,
               selected_, categorical_, num_records_, num_bytes_, bad_records_,
               regions_, num_lists_left_out_, has_field_, by_has_floats_,
               uint64_t{files_.size()});
  for (const auto& [name, file] : files_) {
    AppendFields(&out, name, file.records, file.bytes, file.compression);
  }
  AppendFields(&out, uint64_t{class_indexes_.size()});
  for (const auto& [value, index] : class_indexes_) {
    AppendFields(&out, value, index, class_counts_[index]);
  }
  AppendFields(&out, uint64_t{features_.size()});
  for (const auto& [key, known] : features_) {
    AppendFields(&out, key.second, key.first);
    if (known.counter) known.counter->Append(&out);
  }
  AppendFields(&out, uint64_t{XXH3_64bits(out.data(), out.size())});
  return out;
}

bool DatasetCounter::Parse(std::string_view bytes) {
  if (bytes.size() < kStateMagic.size() + sizeof(uint64_t) ||
      !bytes.starts_with(kStateMagic)) {
    return false;
  }
  std::string_view rest = bytes.substr(bytes.size() - sizeof(uint64_t));
  bytes.remove_suffix(sizeof(uint64_t));
  uint64_t checksum = 0;
  if (!TakeFields(&rest, &checksum) ||
      checksum != XXH3_64bits(bytes.data(), bytes.size())) {
    return false;
  }
  bytes.remove_prefix(kStateMagic.size());
  return ParseOptions(&bytes) && ParseDataset(&bytes) &&
         ParseFeatures(&bytes) && bytes.empty();
}

bool DatasetCounter::ParseOptions(std::string_view* bytes) {
  bool is_sequence = false;
  uint64_t max_distinct = 0;
  if (!TakeFields(bytes, &is_sequence, &options_.pictures, &max_distinct,
                  &options_.by, &options_.features, &options_.categorical) ||
      max_distinct < kMinDistinct || max_distinct > kMaxDistinct) {
    return false;
  }
  options_.message =
      is_sequence ? MessageType::kSequence : MessageType::kExample;
  options_.max_distinct = static_cast<size_t>(max_distinct);
  selected_.insert(options_.features.begin(), options_.features.end());
  categorical_.insert(options_.categorical.begin(), options_.categorical.end());
  return true;
}

bool DatasetCounter::ParseDataset(std::string_view* bytes) {
  uint64_t num_files = 0;
  if (!TakeFields(bytes, &num_records_, &num_bytes_, &bad_records_, &regions_,
                  &num_lists_left_out_, &has_field_, &by_has_floats_,
                  &num_files)) {
    return false;
  }
  for (; num_files > 0; --num_files) {
    FileSummary file;
    if (!TakeFields(bytes, &file.name, &file.records, &file.bytes,
                    &file.compression) ||
        !files_.emplace(file.name, file).second) {
      return false;
    }
  }
  uint64_t num_classes = 0;
  if (!TakeFields(bytes, &num_classes) || num_classes > kMaxClasses + 1) {
    return false;
  }
  class_counts_.resize(static_cast<size_t>(num_classes));
  for (; num_classes > 0; --num_classes) {
    std::string value;
    uint32_t index = 0;
    uint64_t count = 0;
    if (!TakeFields(bytes, &value, &index, &count) ||
        index >= class_counts_.size() || count == 0 ||
        class_counts_[index] != 0 ||
        !class_indexes_.emplace(value, index).second) {
      return false;
    }
    class_counts_[index] = count;
  }
  return true;
}

bool DatasetCounter::ParseFeatures(std::string_view* bytes) {
  uint64_t num_features = 0;
  if (!TakeFields(bytes, &num_features)) return false;
  for (; num_features > 0; --num_features) {
    std::string name;
    bool in_sequence = false;
    if (!TakeFields(bytes, &name, &in_sequence) || !IsUtf8(name) ||
        features_.contains(Key(in_sequence, name))) {
      return false;
    }
    Known* const known = Find(name, in_sequence);
    if (known == nullptr) return false;
    if (!known->counter) continue;
    if (!known->counter->Parse(bytes, num_records_, class_counts_.size())) {
      return false;
    }
    NoteKind(known, known->counter->kind());
    if (known->counter->has_bytes()) NoteBytes();
  }
  // So far each counter has the capacity for the features parsed before it.
  for (auto& [key, known] : features_) {
    if (known.counter) known.counter->SetCapacity(Capacity());
  }
  return true;
}

}  // namespace headrace::stats
