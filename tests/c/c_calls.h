// What the functions of c.h give, in the words of the other tests.

#ifndef HEADRACE_TESTS_C_C_CALLS_H_
#define HEADRACE_TESTS_C_C_CALLS_H_

#include <memory>
#include <string>
#include <vector>

#include "headrace/c.h"

namespace headrace::testing {

struct Free {
  void operator()(headrace_error* error) const { headrace_error_free(error); }
  void operator()(headrace_plan* plan) const { headrace_plan_free(plan); }
  void operator()(headrace_reader* reader) const { headrace_close(reader); }
  void operator()(headrace_dataset* dataset) const {
    headrace_dataset_close(dataset);
  }
};
using CError = std::unique_ptr<headrace_error, Free>;
using CPlan = std::unique_ptr<headrace_plan, Free>;
using CReader = std::unique_ptr<headrace_reader, Free>;
using CDataset = std::unique_ptr<headrace_dataset, Free>;

// Releases what it has.
template <class T>
class Owned {
 public:
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { Release(); }
  T* operator&() { return &value_; }
  T* operator->() { return &value_; }
  const T& operator*() const { return value_; }
  bool is_released() const { return value_.release == nullptr; }
  void Release() {
    if (value_.release != nullptr) value_.release(&value_);
  }

 private:
  T value_ = {};
};

// Calls `function` with the arguments and one for the error; the error's
// message, or "" after success. Fails the test if code and error disagree.
std::string MessageOf(int32_t code, CError error);
template <class Function, class... Arguments>
std::string Call(Function function, Arguments... arguments) {
  headrace_error* error = nullptr;
  const int32_t code = function(arguments..., &error);
  return MessageOf(code, CError(error));
}

CReader Open(const std::string& path, const char* options = nullptr);
CDataset OpenDataset(const std::string& path, const char* options = nullptr);
CPlan Compile(const char* options);
std::string ReportOf(const CReader& reader);

// Rows are those of RowTexts; each batch is checked, and released at the end. A
// last line "error: MESSAGE" says what went wrong.
std::vector<std::string> RowsOf(ArrowArrayStream* stream);
std::vector<std::string> RestOf(const CReader& reader);  // by headrace_next

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_C_C_CALLS_H_
