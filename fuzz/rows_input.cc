#include "fuzz/rows_input.h"

#include <algorithm>
#include <utility>

#include "tests/random/mutator.h"

namespace headrace::fuzzing {

RowsInput RowsInput::Parse(std::string_view input) {
  RowsInput rows;
  rows.choices = std::string(input.substr(0, kChoices));
  rows.choices.resize(kChoices);
  Choices rest(input.substr(std::min(input.size(), kChoices)));
  while (!rest.rest().empty() && rows.rows.size() < kMaxRows) {
    const size_t low = rest.Byte();
    const size_t size = low | size_t{rest.Byte()} << 8;
    const std::string_view row = rest.rest().substr(0, size);
    rows.rows.emplace_back(row);
    rest = Choices(rest.rest().substr(row.size()));
  }
  return rows;
}

std::string RowsInput::Write() const {
  std::string input = choices;
  for (const std::string& row : rows) {
    const size_t size = std::min<size_t>(row.size(), 0xffff);
    input += static_cast<char>(size & 0xff);
    input += static_cast<char>(size >> 8);
    input.append(row, 0, size);
  }
  return input;
}

uint64_t RowsInput::plan_seed() const {
  return static_cast<uint8_t>(choices[0]) |
         uint64_t{static_cast<uint8_t>(choices[1])} << 8;
}

std::string ChangeRows(std::string_view input, Random* random) {
  RowsInput parsed = RowsInput::Parse(input);
  std::vector<std::string>& rows = parsed.rows;
  if (rows.empty() || random->OneIn(10)) {
    parsed.choices[random->Below(RowsInput::kChoices)] =
        static_cast<char>(random->Bits());
    return parsed.Write();
  }
  std::string& row = rows[random->Below(rows.size())];
  switch (random->Below(12)) {
    case 0: {
      const std::string copy = row;
      rows.push_back(copy);
      break;
    }
    case 1:
      std::swap(row, rows.back());
      rows.pop_back();
      break;
    case 2:
      std::swap(row, rows[random->Below(rows.size())]);
      break;
    case 3:  // with fields of another row
      row += rows[random->Below(rows.size())];
      break;
    default:
      row = testing::Mutator(random->Bits()).Mutate(row);
  }
  return parsed.Write();
}

}  // namespace headrace::fuzzing
