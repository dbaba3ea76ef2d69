#include "src/stats/page/data_writer.h"

#include <array>
#include <cmath>
#include <cstdio>

#include "headrace/json_text.h"
#include "src/stats/report/display_text.h"

namespace headrace::report {

void DataWriter::Open(char bracket) {
  Separate();
  out_->push_back(bracket);
  is_first_ = true;
}

void DataWriter::Close(char bracket) {
  out_->push_back(bracket);
  is_first_ = false;
}

void DataWriter::Key(std::string_view key) {
  Separate();
  out_->append("\"").append(key).append("\":");
  is_first_ = true;
}

void DataWriter::Add(double number) {
  if (std::isnan(number)) return AddText("NaN");
  if (std::isinf(number)) return AddText(number > 0 ? "\u221e" : "-\u221e");
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.6g", number);
  Separate();
  out_->append(text.data());
}

void DataWriter::Add(uint64_t number) {
  Separate();
  out_->append(std::to_string(number));
}

void DataWriter::Add(int64_t number) {
  constexpr int64_t kExact = int64_t{1} << 53;
  if (number < -kExact || number > kExact) {
    return AddText(std::to_string(number));
  }
  Separate();
  out_->append(std::to_string(number));
}

void DataWriter::AddText(std::string_view text) {
  Separate();
  AppendScriptString(text, out_);
}

void DataWriter::AddBase64(std::string_view bytes) {
  Separate();
  out_->push_back('"');
  AppendBase64(bytes, out_);
  out_->push_back('"');
}

void DataWriter::AddNull() {
  Separate();
  out_->append("null");
}

void DataWriter::AddCount(std::string_view key, uint64_t count) {
  if (count == 0) return;
  Key(key);
  Add(count);
}

void DataWriter::Separate() {
  if (!is_first_) out_->push_back(',');
  is_first_ = false;
}

}  // namespace headrace::report
