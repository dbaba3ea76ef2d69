#include "tests/arrow/column_maker.h"

#include <stdexcept>
#include <utility>

namespace headrace::testing {

template <class T>
ColumnMaker::Made& ColumnMaker::Start(std::string name, Kind kind,
                                      const CellList<T>& cells) {
  if (cells.size() != num_rows_) throw std::logic_error("other row count");
  fields_.push_back({std::move(name), kind});
  Made& made = made_.emplace_back();
  made.validity.resize((cells.size() + 7) / 8);
  int32_t count = 0;
  for (size_t row = 0; row < cells.size(); ++row) {
    if (cells[row]) {
      made.validity[row / 8] |= static_cast<uint8_t>(1u << (row % 8));
      count += static_cast<int32_t>(cells[row]->size());
    } else {
      ++made.null_count;
    }
    made.offsets.push_back(count);
  }
  return made;
}

void ColumnMaker::Finish(const Made& made, const void* values) {
  const bool has_nulls = made.null_count > 0;
  columns_.push_back({.name = {},
                      .kind = fields_.back().kind,
                      .num_rows = num_rows_,
                      .null_count = made.null_count,
                      .validity = has_nulls ? made.validity.data() : nullptr,
                      .offsets = made.offsets.data(),
                      .values = values});
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

ColumnMaker& ColumnMaker::Bytes(std::string name,
                                const CellList<std::string>& cells) {
  Made& made = Start(std::move(name), Kind::kBytes, cells);
  for (const auto& cell : cells) {
    if (!cell) continue;
    for (const std::string& value : *cell) made.text += value;
  }
  size_t at = 0;
  for (const auto& cell : cells) {
    if (!cell) continue;
    for (const std::string& value : *cell) {
      made.bytes.push_back(std::string_view(made.text).substr(at));
      made.bytes.back() = made.bytes.back().substr(0, value.size());
      at += value.size();
    }
  }
  Pin(made.text);
  Finish(made, made.bytes.data());
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
  fields_.push_back({std::move(name), Kind::kNull});
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
          .pinned = pinned_,
          .origins = origins_};
}

}  // namespace headrace::testing
