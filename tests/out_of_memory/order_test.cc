// Orders without memory: every allocation of each call fails once.

#include "headrace/order.h"

#include <cstdint>
#include <new>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/out_of_memory/every_allocation.h"

namespace headrace::testing {
namespace {

TEST(OrderWithoutMemory, MadeAndAsked) {
  for (const OrderOptions& options : std::vector<OrderOptions>{
           {.rows = 100},
           {.rows = 100000},
           {.rows = 100, .block = 5, .window = 3},
           {.rows = 300001, .block = 4096, .window = 16},
           {.rows = 100, .block = 5, .window = 3, .lanes = 2, .turn = 4}}) {
    FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
      std::vector<uint64_t> rows(20);
      std::vector<uint64_t> at = {options.rows - 1, 3, 50};
      Outcome outcome = TextOf(allocator, [&]() -> std::string {
        const Result<Order> order = Order::Make(options);
        if (!order.ok() || !order->Rows(50, rows).ok() ||
            !order->RowsAt(at, at).ok() || !order->PositionsOf(at, at).ok()) {
          throw std::bad_alloc();
        }
        return "";
      });
      if (!outcome.status.ok()) return outcome;
      for (const uint64_t row : rows) outcome.rest += std::to_string(row) + " ";
      for (const uint64_t row : at) outcome.rest += std::to_string(row) + " ";
      return outcome;
    });
  }
}

}  // namespace
}  // namespace headrace::testing
