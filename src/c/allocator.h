// Makes a BatchAllocator of a headrace_allocator.

#ifndef HEADRACE_SRC_C_ALLOCATOR_H_
#define HEADRACE_SRC_C_ALLOCATOR_H_

#include <memory>

#include "headrace/batch_allocator.h"
#include "headrace/c.h"
#include "headrace/status.h"

namespace headrace::c {

// kInvalidArgument if a field is missing, or the size is not that of a known
// version. The caller calls Own on the result once nothing can fail any more:
// without it `release` is not called.
class Allocator : public BatchAllocator {
 public:
  static Result<std::shared_ptr<Allocator>> From(
      const headrace_allocator* from);
  explicit Allocator(const headrace_allocator& functions)
      : functions_(functions) {}
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;
  ~Allocator() override;

  void Own() { is_owned_ = true; }
  void* Allocate(size_t size, size_t alignment) override {
    return functions_.allocate(functions_.context, size, alignment);
  }
  void Free(void* data, size_t size) noexcept override {
    functions_.free(functions_.context, data, size);
  }

 private:
  const headrace_allocator functions_;
  bool is_owned_ = false;
};

}  // namespace headrace::c

#endif  // HEADRACE_SRC_C_ALLOCATOR_H_
