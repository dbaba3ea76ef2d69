// Calls of the operating system that fail when a test wants them to: linking
// the .cc puts it before this program's read, pread, write, fsync and rename,
// so it is linked by name, never with a library.

#ifndef HEADRACE_TESTS_PROCESS_FAULTY_CALLS_H_
#define HEADRACE_TESTS_PROCESS_FAULTY_CALLS_H_

#include <atomic>
#include <cstddef>
#include <functional>
#include <string_view>

namespace headrace::testing {

// While it lives, every call is its rule's to decide. One at a time; calls may
// come from any thread.
class FaultyCalls {
 public:
  // Gets the number of the call, from 0, and how many bytes it asks for, which
  // it may lower. Returns 0 to let the call happen, or the errno it fails with.
  using Rule = std::function<int(size_t call, size_t* size)>;
  // Of calls that move no bytes ("fsync", "rename"), which are counted by
  // themselves. Returns the same.
  using StepRule = std::function<int(std::string_view name, size_t step)>;

  explicit FaultyCalls(Rule rule, StepRule step_rule = nullptr);
  FaultyCalls(const FaultyCalls&) = delete;
  FaultyCalls& operator=(const FaultyCalls&) = delete;
  ~FaultyCalls();

  size_t num_calls() const { return num_calls_; }

  // For the calls.
  int Decide(size_t* size) { return rule_(num_calls_++, size); }
  int DecideStep(std::string_view name) {
    return step_rule_ ? step_rule_(name, num_steps_++) : 0;
  }

 private:
  const Rule rule_;
  const StepRule step_rule_;
  std::atomic<size_t> num_calls_ = 0;
  std::atomic<size_t> num_steps_ = 0;
};

// Rules: every call happens as it is.
FaultyCalls::Rule WholeCalls();
// Every call moves at most so many bytes.
FaultyCalls::Rule ShortCalls(size_t most);
// From 1 to 5000 bytes, by this seed.
FaultyCalls::Rule RandomCalls(unsigned seed);
// A signal comes before anything has moved, `times` in a row.
FaultyCalls::Rule InterruptedCalls(size_t times, size_t most);
// From call number `first` on all fail.
FaultyCalls::Rule FailingFrom(size_t first, int error, size_t most);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_PROCESS_FAULTY_CALLS_H_
