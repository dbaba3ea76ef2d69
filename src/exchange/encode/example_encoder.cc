// EncodeExamples serializes the rows of an Arrow record batch as messages.

#include "headrace/example_encoder.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "headrace/message.h"
#include "src/base/out_of_memory.h"
#include "src/base/text/quote.h"
#include "src/exchange/arrow/layout.h"
#include "src/exchange/encode/array_view.h"
#include "src/exchange/encode/cell_encoder.h"
#include "wire/append.h"

namespace headrace {
namespace encode {
namespace {

constexpr int64_t kMaxRows = std::numeric_limits<int32_t>::max();

struct FeatureColumn {
  std::string_view name;
  CellEncoder cells;
  bool has_kind = false;  // some row has a value
};

struct FeatureListColumn {
  std::string_view name;
  ArrayView rows;
  std::optional<CellEncoder> steps;  // a column of type null has none
  bool has_kind = false;             // some step has a value
};

// The place that an error names.
struct Place {
  std::string_view column;
  int64_t row = 0;
  std::optional<int64_t> step = {};
};

Status WithPlace(const Status& error, const Place& place) {
  ErrorInfo info = *error.info();
  std::string text =
      "column " + Quote(place.column) + ", row " + std::to_string(place.row);
  if (place.step) text += ", step " + std::to_string(*place.step);
  info.message = text + ": " + info.message;
  info.feature = place.column;
  info.record = static_cast<uint64_t>(place.row);
  return Status(std::move(info));
}

Status BadRow(ErrorCode code, int64_t row, std::string_view what) {
  return Status(ErrorInfo{
      .code = code,
      .message = "row " + std::to_string(row) + ": " + std::string(what),
      .record = static_cast<uint64_t>(row)});
}

std::string_view NameOf(const ArrowSchema& schema) {
  return schema.name != nullptr ? schema.name : "";
}

// Sorts columns in the order in which maps are written. Equal names are then
// adjacent, and are refused.
template <class Column>
Status SortByName(std::vector<Column>* columns) {
  std::sort(columns->begin(), columns->end(),
            [](const Column& a, const Column& b) { return a.name < b.name; });
  for (size_t i = 0; i < columns->size(); ++i) {
    const std::string_view name = (*columns)[i].name;
    if (!IsUtf8(name)) return BadColumn(name, "has a name that is not UTF-8");
    if (i > 0 && name == (*columns)[i - 1].name) {
      return BadColumn(name, "occurs twice");
    }
  }
  return Status();
}

class BatchEncoder {
 public:
  BatchEncoder(const ArrayView& root, const EncodeOptions& options)
      : root_(root), options_(options) {
    if (options.kinds != nullptr) kinds_ = *options.kinds;
  }

  // Sorts the columns, and checks everything that does not depend on values.
  Status Open();
  Status Encode(std::vector<std::string>* messages);
  // Returns the options' kinds, and those of the columns.
  FeatureKinds TakeKinds() { return *std::move(kinds_); }

 private:
  std::optional<Kind> WantedKind(std::string_view name, bool in_sequence) const;
  // Notes that a column has a value. Adds its kind if the value is the first.
  Status AddKind(std::string_view name, bool in_sequence, Kind kind,
                 bool* has_kind);
  Status OpenFeatureLists(const ArrowSchema& schema, const ArrowArray& array);
  Status AppendFeatures(int64_t row);
  Status AppendFeatureLists(int64_t row);
  // Appends to value_. If the error is in one step, sets `bad_step`.
  Status AppendSteps(int64_t cell, FeatureListColumn* column,
                     std::optional<int64_t>* bad_step);

  const ArrayView root_;
  const EncodeOptions& options_;
  std::optional<FeatureKinds> kinds_;
  std::vector<FeatureColumn> features_;
  std::optional<ArrayView> sequence_;
  std::vector<FeatureListColumn> feature_lists_;
  // Reused for their memory.
  std::string value_;
  std::string feature_;
  std::string feature_map_;
  std::string list_map_;
};

std::optional<Kind> BatchEncoder::WantedKind(std::string_view name,
                                             bool in_sequence) const {
  if (!kinds_ || kinds_->learns()) return std::nullopt;
  return kinds_->KindOf(name, in_sequence);
}

Status BatchEncoder::AddKind(std::string_view name, bool in_sequence, Kind kind,
                             bool* has_kind) {
  if (*has_kind || !kinds_) return Status();
  *has_kind = true;
  return kinds_->Add(name, in_sequence, kind);
}

Status BatchEncoder::OpenFeatureLists(const ArrowSchema& schema,
                                      const ArrowArray& array) {
  if (sequence_) return BadColumn(arrow::kSequenceStruct, "occurs twice");
  Result<ArrayView> sequence = ArrayView::Of(schema, array);
  if (!sequence) {
    return BadColumn(arrow::kSequenceStruct, sequence.status().message());
  }
  sequence_ = *sequence;
  for (int64_t i = 0; i < sequence->num_children(); ++i) {
    const ArrowSchema& child = sequence->child_schema(i);
    const std::string_view name = NameOf(child);
    Result<ArrayView> rows = ArrayView::Of(child, sequence->child_array(i));
    if (!rows) return BadColumn(name, rows.status().message());
    FeatureListColumn column{name, *rows, std::nullopt};
    if (rows->facts().is_list()) {
      Result<CellEncoder> steps =
          CellEncoder::Of(rows->child_schema(0), rows->child_array(0), name,
                          options_, WantedKind(name, /*in_sequence=*/true));
      if (!steps) return steps.status();
      column.steps = *std::move(steps);
    } else if (rows->facts().type != ArrowType::kNull) {
      return BadColumn(name, "of ##SEQUENCE## is not a list of steps");
    }
    feature_lists_.push_back(std::move(column));
  }
  return SortByName(&feature_lists_);
}

Status BatchEncoder::Open() {
  if (root_.facts().type != ArrowType::kStruct) {
    return Status(ErrorCode::kInvalidArgument,
                  "the array is not a record batch: its type is not a struct");
  }
  for (int64_t i = 0; i < root_.num_children(); ++i) {
    const ArrowSchema& schema = root_.child_schema(i);
    const ArrowArray& array = root_.child_array(i);
    const std::string_view name = NameOf(schema);
    if (name == arrow::kSequenceStruct && schema.format != nullptr &&
        std::string_view(schema.format) == "+s") {
      Status status = OpenFeatureLists(schema, array);
      if (!status.ok()) return status;
      continue;
    }
    Result<CellEncoder> cells = CellEncoder::Of(
        schema, array, name, options_, WantedKind(name, /*in_sequence=*/false));
    if (!cells) return cells.status();
    features_.push_back({name, *std::move(cells)});
  }
  return SortByName(&features_);
}

Status BatchEncoder::AppendFeatures(int64_t row) {
  feature_map_.clear();
  const int64_t cell = root_.offset() + row;
  for (FeatureColumn& column : features_) {
    if (column.cells.IsNull(cell)) continue;
    value_.clear();
    Status status = column.cells.Append(cell, &value_);
    if (status.ok()) {
      status =
          AddKind(column.name, false, column.cells.kind(), &column.has_kind);
    }
    if (!status.ok()) return WithPlace(status, {column.name, row});
    wire::AppendEntry(column.name, value_, &feature_map_);
  }
  return Status();
}

Status BatchEncoder::AppendSteps(int64_t cell, FeatureListColumn* column,
                                 std::optional<int64_t>* bad_step) {
  ItemRange steps;
  if (!column->rows.GetList(cell, &steps)) {
    return Status(ErrorCode::kInvalidArgument,
                  "the list has offsets that make no sense");
  }
  for (int64_t step = steps.begin; step < steps.end; ++step) {
    // A step has at least two bytes, so a long list of nulls fails immediately.
    const auto rest = static_cast<size_t>(steps.end - step);
    if (rest > kMaxFieldBytes / 2 || value_.size() > kMaxFieldBytes) {
      return Status(ErrorCode::kLimit, "the feature list is larger than 2 GiB");
    }
    feature_.clear();
    if (!column->steps->IsNull(step)) {
      Status status = column->steps->Append(step, &feature_);
      if (status.ok()) {
        status = AddKind(column->name, true, column->steps->kind(),
                         &column->has_kind);
      }
      if (!status.ok()) {
        *bad_step = step - steps.begin;
        return status;
      }
    }
    wire::AppendLen(1, feature_, &value_);
  }
  return Status();
}

Status BatchEncoder::AppendFeatureLists(int64_t row) {
  list_map_.clear();
  const int64_t cell = sequence_->offset() + root_.offset() + row;
  for (FeatureListColumn& column : feature_lists_) {
    if (column.rows.IsNull(cell)) continue;
    value_.clear();
    std::optional<int64_t> bad_step;
    Status status = AppendSteps(cell, &column, &bad_step);
    if (!status.ok()) return WithPlace(status, {column.name, row, bad_step});
    wire::AppendEntry(column.name, value_, &list_map_);
  }
  return Status();
}

Status BatchEncoder::Encode(std::vector<std::string>* messages) {
  for (int64_t row = 0; row < root_.length(); ++row) {
    if (root_.IsNull(row)) {
      return BadRow(ErrorCode::kInvalidArgument, row,
                    "a record batch has no null rows");
    }
    const bool has_lists =
        sequence_ && !sequence_->IsNull(root_.offset() + row);
    Status status = AppendFeatures(row);
    if (status.ok() && has_lists) status = AppendFeatureLists(row);
    if (!status.ok()) return status;
    std::string& message = messages->emplace_back();
    if (!feature_map_.empty()) wire::AppendLen(1, feature_map_, &message);
    if (has_lists) wire::AppendLen(2, list_map_, &message);
    if (message.size() > kMaxFieldBytes) {
      return BadRow(ErrorCode::kLimit, row, "the message is larger than 2 GiB");
    }
  }
  return Status();
}

Result<std::vector<std::string>> Encode(const ArrowSchema& schema,
                                        const ArrowArray& batch,
                                        const EncodeOptions& options) {
  const Result<ArrayView> root = ArrayView::Of(schema, batch);
  if (!root) {
    return Status(ErrorCode::kInvalidArgument,
                  "the record batch " + std::string(root.status().message()));
  }
  if (root->length() > kMaxRows) {
    return Status(ErrorCode::kLimit, "more rows than 32 bits can count");
  }
  BatchEncoder encoder(*root, options);
  Status status = encoder.Open();
  if (!status.ok()) return status;
  std::vector<std::string> messages;
  status = encoder.Encode(&messages);
  if (!status.ok()) return status;
  if (options.kinds != nullptr) *options.kinds = encoder.TakeKinds();
  return messages;
}

}  // namespace
}  // namespace encode

Result<std::vector<std::string>> EncodeExamples(const ArrowSchema& schema,
                                                const ArrowArray& batch,
                                                const EncodeOptions& options) {
  return CatchOutOfMemory(
      [&] { return encode::Encode(schema, batch, options); });
}

}  // namespace headrace
