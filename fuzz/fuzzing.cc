#include "fuzz/fuzzing.h"

#include <cstdio>
#include <cstdlib>

#include "gtest/gtest.h"

namespace headrace::fuzzing {

namespace {

// The oracles report by GoogleTest's assertions; here one is enough.
class EndAtFailure : public ::testing::EmptyTestEventListener {
  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    if (result.failed()) Require(result.summary());
  }
};

void ListenToAssertions() {
  ::testing::UnitTest::GetInstance()->listeners().Append(new EndAtFailure);
}

// A smaller input is hardly ever more than another one's beginning.
constexpr size_t kTooSmall = 2;

}  // namespace

void Require(std::string_view wrong) {
  if (wrong.empty()) return;
  std::fprintf(stderr, "%.*s\n", static_cast<int>(wrong.size()), wrong.data());
  std::abort();
}

std::string Mutate(std::string_view input, Random* random) {
  if (input.size() < kTooSmall || random->OneIn(20)) return NewInput(random);
  return ChangeInput(input, random);
}

uint8_t Choices::Byte() {
  if (rest_.empty()) return 0;
  const auto byte = static_cast<uint8_t>(rest_[0]);
  rest_.remove_prefix(1);
  return byte;
}

}  // namespace headrace::fuzzing

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  headrace::fuzzing::ListenToAssertions();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  headrace::fuzzing::CheckInput({reinterpret_cast<const char*>(data), size});
  return 0;
}
