// MemorySink is an output in memory that notes how it was used, and may fail.

#ifndef HEADRACE_TESTS_SUPPORT_MEMORY_SINK_H_
#define HEADRACE_TESTS_SUPPORT_MEMORY_SINK_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "headrace/output_sink.h"

namespace headrace::testing {

struct SinkLog {
  std::string bytes = {};
  size_t writes = 0;
  size_t closes = 0;
  size_t after_the_end = 0;  // calls after Close or a failure
  bool is_destroyed = false;

  size_t fail_write = ~size_t{0};  // number of the Write that fails
  bool fail_close = false;
};

class MemorySink : public OutputSink {
 public:
  explicit MemorySink(SinkLog* log) : log_(*log) {}
  ~MemorySink() override { log_.is_destroyed = true; }

  Status Write(std::span<const uint8_t> bytes) override {
    if (has_ended_ || bytes.empty()) ++log_.after_the_end;
    if (log_.writes++ == log_.fail_write) return Fail();
    log_.bytes.append(reinterpret_cast<const char*>(bytes.data()),
                      bytes.size());
    return Status();
  }
  Status Close() override {
    if (has_ended_) ++log_.after_the_end;
    ++log_.closes;
    has_ended_ = true;
    return log_.fail_close ? Fail() : Status();
  }

 private:
  Status Fail() {
    has_ended_ = true;
    return Status(ErrorCode::kIo, "the bucket is full");
  }

  SinkLog& log_;
  bool has_ended_ = false;
};

inline std::unique_ptr<OutputSink> SinkTo(SinkLog* log) {
  return std::make_unique<MemorySink>(log);
}

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_SUPPORT_MEMORY_SINK_H_
