// FakeSource: a stream with windows as small and failures as sudden as a test
// wants them, which holds its caller to the contract of Source.

#ifndef HEADRACE_TESTS_RECORD_FAKE_SOURCE_H_
#define HEADRACE_TESTS_RECORD_FAKE_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "src/input/source/source.h"

namespace headrace::testing {

class FakeSource : public source::Source {
 public:
  struct Options {
    // What arrives with each call beyond what was asked for; 0 gives all at
    // once.
    size_t window_bytes = 0;
    // Not 0: windows take from 1 to window_bytes, by this seed.
    uint64_t random_seed = 0;
    // What ends the stream instead of its end.
    Status failure = {};
    // Calls of Next before one that gives no window at all.
    std::optional<size_t> calls_before_error = {};
    std::string name = "fake.tfrecord";
    Compression compression = Compression::kNone;
  };

  // What the calls came to, alive longer than the source.
  struct Cost {
    size_t calls = 0;
    uint64_t copied = 0;  // kept bytes, by all calls together
    size_t largest_window = 0;
  };

  explicit FakeSource(std::string bytes) : FakeSource(bytes, Options()) {}
  FakeSource(std::string bytes, Options options);

  Result<source::Window> Next(uint64_t keep_from, size_t at_least) override;
  const Status& failure() const override { return failure_; }
  Compression compression() const override { return options_.compression; }
  const std::string& name() const override { return options_.name; }
  uint64_t stored_position() const override { return given_; }
  uint64_t stored_size() const override { return bytes_.size(); }

  std::shared_ptr<const Cost> cost() const { return cost_; }

 private:
  size_t WindowBytes();

  std::string bytes_;
  Options options_;
  uint64_t random_;
  uint64_t begin_ = 0;  // of the window given last
  uint64_t given_ = 0;  // its end
  bool ended_ = false;
  Status failure_;
  std::shared_ptr<Cost> cost_ = std::make_shared<Cost>();
};

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_RECORD_FAKE_SOURCE_H_
