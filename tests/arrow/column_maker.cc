#include "tests/arrow/column_maker.h"

#include <stdexcept>
#include <utility>

namespace headrace::testing {

void ColumnMaker::Rows::Append(std::optional<size_t> size) {
  const size_t row = offsets.size() - 1;
  validity.resize(row / 8 + 1);
  if (size) {
    validity[row / 8] |= static_cast<uint8_t>(1u << (row % 8));
  } else {
    ++null_count;
  }
  offsets.push_back(offsets.back() + static_cast<int32_t>(size.value_or(0)));
}

template <class T>
ColumnMaker::Made& ColumnMaker::Start(std::string name, Kind kind,
                                      const CellList<T>& cells) {
  if (cells.size() != num_rows_) throw std::logic_error("other row count");
  fields_.push_back({.name = std::move(name), .kind = kind});
  Made& made = made_.emplace_back();
  for (const auto& cell : cells) {
    made.rows.Append(cell ? std::optional(cell->size()) : std::nullopt);
  }
  return made;
}

template <class T>
CellList<T> ColumnMaker::StartSteps(std::string name, Kind kind,
                                    const StepCells<T>& cells) {
  if (cells.size() != num_rows_) throw std::logic_error("other row count");
  fields_.push_back(
      {.name = std::move(name), .kind = kind, .in_sequence = true});
  has_sequence_struct_ = true;
  Made& made = made_.emplace_back();
  CellList<T> steps;
  for (const auto& cell : cells) {
    made.rows.Append(cell ? std::optional(cell->size()) : std::nullopt);
    if (cell) steps.insert(steps.end(), cell->begin(), cell->end());
  }
  for (const auto& step : steps) {
    made.steps.Append(step ? std::optional(step->size()) : std::nullopt);
  }
  return steps;
}

void ColumnMaker::Finish(const Made& made, const void* values) {
  Column column{.name = {},
                .kind = fields_.back().kind,
                .in_sequence = fields_.back().in_sequence,
                .num_rows = num_rows_,
                .null_count = made.rows.null_count,
                .validity = made.rows.validity_or_null(),
                .offsets = made.rows.offsets.data(),
                .values = values};
  if (column.in_sequence && column.kind != Kind::kNull) {
    column.step_null_count = made.steps.null_count;
    column.step_validity = made.steps.validity_or_null();
    column.step_offsets = made.steps.offsets.data();
  } else if (column.in_sequence) {
    column.step_null_count = column.num_steps();
  }
  columns_.push_back(column);
}

ColumnMaker& ColumnMaker::Int64s(std::string name,
                                 const CellList<int64_t>& cells) {
  Made& made = Start(std::move(name), Kind::kInt64, cells);
  for (const auto& cell : cells) {
    if (cell) made.int64s.insert(made.int64s.end(), cell->begin(), cell->end());
  }
  Finish(made, made.int64s.data());
  return *this;
}

ColumnMaker& ColumnMaker::Floats(std::string name,
                                 const CellList<float>& cells) {
  Made& made = Start(std::move(name), Kind::kFloat, cells);
  for (const auto& cell : cells) {
    if (cell) made.floats.insert(made.floats.end(), cell->begin(), cell->end());
  }
  Finish(made, made.floats.data());
  return *this;
}

void ColumnMaker::FillBytes(const CellList<std::string>& cells, Made* made) {
  for (const auto& cell : cells) {
    if (!cell) continue;
    for (const std::string& value : *cell) made->text += value;
  }
  size_t at = 0;
  for (const auto& cell : cells) {
    if (!cell) continue;
    for (const std::string& value : *cell) {
      made->bytes.push_back(
          std::string_view(made->text).substr(at, value.size()));
      at += value.size();
    }
  }
  Pin(made->text);
}

ColumnMaker& ColumnMaker::Bytes(std::string name,
                                const CellList<std::string>& cells) {
  Made& made = Start(std::move(name), Kind::kBytes, cells);
  FillBytes(cells, &made);
  Finish(made, made.bytes.data());
  return *this;
}

ColumnMaker& ColumnMaker::Int64Steps(std::string name,
                                     const StepCells<int64_t>& cells) {
  const auto steps = StartSteps(std::move(name), Kind::kInt64, cells);
  Made& made = made_.back();
  for (const auto& step : steps) {
    if (step) made.int64s.insert(made.int64s.end(), step->begin(), step->end());
  }
  Finish(made, made.int64s.data());
  return *this;
}

ColumnMaker& ColumnMaker::BytesSteps(std::string name,
                                     const StepCells<std::string>& cells) {
  const auto steps = StartSteps(std::move(name), Kind::kBytes, cells);
  FillBytes(steps, &made_.back());
  Finish(made_.back(), made_.back().bytes.data());
  return *this;
}

ColumnMaker& ColumnMaker::NullSteps(
    std::string name, const std::vector<std::optional<size_t>>& cells) {
  StepCells<int64_t> steps;
  for (const auto& cell : cells) {
    steps.emplace_back();
    if (cell) steps.back().emplace(*cell);
  }
  StartSteps(std::move(name), Kind::kNull, steps);
  Finish(made_.back(), nullptr);
  return *this;
}

ColumnMaker& ColumnMaker::SequenceStruct() {
  has_sequence_struct_ = true;
  return *this;
}

ColumnMaker& ColumnMaker::Views(std::string name,
                                std::vector<std::string_view> values) {
  CellList<std::string_view> cells;
  for (const std::string_view value : values) cells.push_back({{value}});
  Made& made = Start(std::move(name), Kind::kBytes, cells);
  made.bytes = std::move(values);
  Finish(made, made.bytes.data());
  return *this;
}

ColumnMaker& ColumnMaker::Nulls(std::string name) {
  fields_.push_back({.name = std::move(name)});
  columns_.push_back(
      {.name = {}, .num_rows = num_rows_, .null_count = num_rows_});
  return *this;
}

void ColumnMaker::Pin(std::string_view bytes) {
  pinned_.push_back(
      {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

void ColumnMaker::SetOrigins(std::vector<RowOrigin> origins) {
  origins_ = std::move(origins);
}

arrow::ColumnBatch ColumnMaker::batch() {
  for (size_t i = 0; i < columns_.size(); ++i) {
    columns_[i].name = fields_[i].name;
  }
  return {.num_rows = num_rows_,
          .columns = columns_,
          .has_sequence_struct = has_sequence_struct_,
          .pinned = pinned_,
          .origins = origins_};
}

}  // namespace headrace::testing
