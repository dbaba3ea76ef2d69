#include "src/c/allocator.h"

#include <string>

#include "src/c/error.h"

namespace headrace::c {

Result<std::shared_ptr<Allocator>> Allocator::From(
    const headrace_allocator* from) {
  if (from == nullptr) return IsNull("allocator");
  if (from->size != sizeof(headrace_allocator)) {
    return InvalidArgument("the size of the allocator is " +
                           std::to_string(from->size) + "; it must be " +
                           std::to_string(sizeof(headrace_allocator)));
  }
  if (from->allocate == nullptr) return IsNull("allocator->allocate");
  if (from->free == nullptr) return IsNull("allocator->free");
  return std::make_shared<Allocator>(*from);
}

Allocator::~Allocator() {
  if (is_owned_ && functions_.release != nullptr) {
    functions_.release(functions_.context);
  }
}

}  // namespace headrace::c
