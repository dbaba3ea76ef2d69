// Orders as docs/formats/order.md describes them, as plainly as possible.

#ifndef HEADRACE_TESTS_ORDER_REFERENCE_ORDER_H_
#define HEADRACE_TESTS_ORDER_REFERENCE_ORDER_H_

#include <cstdint>
#include <vector>

#include "headrace/order.h"

namespace headrace::testing {

// Gives the rows at all positions.
std::vector<uint64_t> ReferenceOrder(const OrderOptions& options);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_ORDER_REFERENCE_ORDER_H_
