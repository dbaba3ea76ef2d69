// One record has three readers: the naive decoder, libprotobuf and the library.

#ifndef HEADRACE_TESTS_AGREEMENT_WIRE_AGREEMENT_H_
#define HEADRACE_TESTS_AGREEMENT_WIRE_AGREEMENT_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "headrace/types.h"
#include "tests/support/guarded_bytes.h"

namespace headrace::testing {

class Agreement {
 public:
  explicit Agreement(size_t capacity = size_t{1} << 16) : guarded_(capacity) {}

  // Says what the three disagree about when they read the bytes as `type`, or
  // as both types; empty when they agree. The library reads bytes that end
  // where memory ends.
  std::string Check(std::string_view bytes, MessageType type);
  std::string Check(std::string_view bytes);
  // libprotobuf is left out, for tests of millions of records.
  std::string CheckQuickly(std::string_view bytes, MessageType type);

  // This is about the last Check.
  bool accepted() const { return accepted_; }

 private:
  GuardedBytes guarded_;
  bool accepted_ = false;
};

// Exhaustive tests add a failure for the first few disagreements only.
class FewFailures {
 public:
  void Add(const std::string& disagreement);
  bool enough() const { return count_ >= kEnough; }

 private:
  static constexpr int kEnough = 5;
  int count_ = 0;
};

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_AGREEMENT_WIRE_AGREEMENT_H_
