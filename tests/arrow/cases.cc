#include "tests/arrow/cases.h"

#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "tests/random/random_example.h"

namespace headrace::testing {
namespace {

constexpr auto kNull = std::nullopt;

template <class T>
std::vector<T> None() {
  return {};
}

std::unique_ptr<ColumnMaker> AllKinds() {
  constexpr int64_t kLow = std::numeric_limits<int64_t>::min();
  constexpr int64_t kHigh = std::numeric_limits<int64_t>::max();
  const auto payload_nan = std::bit_cast<float>(0x7fc12345u);
  auto columns = std::make_unique<ColumnMaker>(4);
  columns->Int64s("ints", {{{1, kLow, kHigh}}, kNull, None<int64_t>(), {{-1}}});
  columns->Floats("floats",
                  {{{0.5f, -0.0f}}, {{payload_nan}}, kNull, None<float>()});
  columns->Bytes("bytes", {{{"", "twelve bytes", "thirteen byte"}},
                           None<std::string>(),
                           {{"", ""}},
                           kNull});
  columns->Nulls("nulls");
  return columns;
}

std::unique_ptr<ColumnMaker> NoNulls() {
  auto columns = std::make_unique<ColumnMaker>(2);
  columns->Int64s("i", {{{1}}, {{2}}});
  columns->Floats("f", {None<float>(), {{2.0f, 3.0f}}});
  columns->Bytes("b", {{{"x"}}, {{"a longer value than a view holds"}}});
  return columns;
}

std::unique_ptr<ColumnMaker> OnlyNullsAndEmpties() {
  auto columns = std::make_unique<ColumnMaker>(9);
  columns->Int64s("nulls", CellList<int64_t>(9));
  columns->Bytes("null bytes", CellList<std::string>(9));
  columns->Floats("empties", CellList<float>(9, None<float>()));
  columns->Bytes("empty bytes", CellList<std::string>(9, None<std::string>()));
  return columns;
}

std::unique_ptr<ColumnMaker> NoRows() {
  auto columns = std::make_unique<ColumnMaker>(0);
  columns->Int64s("i", {}).Floats("f", {}).Bytes("b", {}).Nulls("n");
  return columns;
}

std::unique_ptr<ColumnMaker> OddNames() {
  auto columns = std::make_unique<ColumnMaker>(1);
  columns->Int64s("", {{{1}}});
  columns->Int64s("na\u00efve \u6c34\u8def \U0001f30a", {{{2}}});
  columns->Int64s("a.b/c \"quoted\"\n", {{{3}}});
  columns->Int64s(std::string(3000, 'n'), {{{4}}});
  return columns;
}

std::unique_ptr<ColumnMaker> NulInName() {
  auto columns = std::make_unique<ColumnMaker>(1);
  columns->Int64s(std::string("a\0b", 3), {{{1}}});
  return columns;
}

std::unique_ptr<ColumnMaker> LargeValues() {
  auto columns = std::make_unique<ColumnMaker>(3);
  columns->Bytes("blob", {{{std::string(70'000, 'x'), "short"}},
                          {{std::string(300'001, 'y')}},
                          kNull});
  columns->Int64s("many", {{std::vector<int64_t>(20'000, 7)}, kNull, kNull});
  return columns;
}

std::unique_ptr<ColumnMaker> NotUtf8() {
  auto columns = std::make_unique<ColumnMaker>(2);
  columns->Bytes("b", {{{"\xff\xfe"}}, {{std::string(20, '\x80')}}});
  return columns;
}

CellList<std::string> RandomText(size_t rows, Random* random) {
  CellList<std::string> cells(rows);
  for (auto& cell : cells) {
    if (random->OneIn(7)) continue;
    cell.emplace(random->Below(4));
    for (std::string& value : *cell) {
      value.assign(random->Below(random->OneIn(3) ? 200 : 14), ' ');
      for (char& c : value) c = static_cast<char>(' ' + random->Below(95));
    }
  }
  return cells;
}

std::unique_ptr<ColumnMaker> ManyRows() {
  constexpr size_t kRows = 1003;
  Random random(7);
  CellList<int64_t> ints(kRows);
  CellList<float> floats(kRows);
  for (size_t row = 0; row < kRows; ++row) {
    if (!random.OneIn(3)) ints[row].emplace(random.Below(9), random.Int64());
    if (!random.OneIn(100)) {
      floats[row].emplace(1, static_cast<float>(random.Below(1000)));
    }
  }
  auto columns = std::make_unique<ColumnMaker>(kRows);
  columns->Int64s("ints", ints).Floats("floats", floats);
  columns->Bytes("text", RandomText(kRows, &random));
  columns->Bytes("more text", RandomText(kRows, &random));
  return columns;
}

std::unique_ptr<ColumnMaker> ManyColumns() {
  auto columns = std::make_unique<ColumnMaker>(2);
  for (int i = 0; i < 2000; ++i) {
    const std::string name = "column " + std::to_string(i);
    if (i % 3 == 0) columns->Int64s(name, {{{i}}, kNull});
    if (i % 3 == 1) columns->Bytes(name, {kNull, {{name}}});
    if (i % 3 == 2) columns->Nulls(name);
  }
  return columns;
}

std::vector<Case> MakeCases() {
  std::vector<Case> cases;
  cases.push_back({"all_kinds", AllKinds()});
  cases.push_back({"no_nulls", NoNulls()});
  cases.push_back({"only_nulls_and_empties", OnlyNullsAndEmpties()});
  cases.push_back({"no_rows", NoRows()});
  cases.push_back({"no_columns", std::make_unique<ColumnMaker>(5)});
  cases.push_back({"nothing", std::make_unique<ColumnMaker>(0)});
  cases.push_back({"odd_names", OddNames()});
  cases.push_back(
      {.name = "nul_in_name", .columns = NulInName(), .has_c_names = false});
  cases.push_back({"large_values", LargeValues()});
  cases.push_back({.name = "not_utf8", .columns = NotUtf8(), .is_utf8 = false});
  cases.push_back({"many_rows", ManyRows()});
  cases.push_back({"many_columns", ManyColumns()});
  return cases;
}

}  // namespace

const std::vector<Case>& Cases() {
  static const auto* const cases = new std::vector<Case>(MakeCases());
  return *cases;
}

}  // namespace headrace::testing
