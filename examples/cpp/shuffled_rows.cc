// Reads rows by number, in a new order each epoch: shuffled_rows FILE...

#include <algorithm>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "headrace/dataset.h"
#include "headrace/feature_spec.h"
#include "headrace/order.h"

namespace {

constexpr size_t kBatchSize = 256;

headrace::Status Train(const std::vector<std::string>& paths) {
  auto plan = headrace::Plan::Compile(headrace::FeatureSpec().Add(
      "id", headrace::FixedLen(headrace::DType::kInt64)));
  if (!plan) return plan.status();
  auto dataset = headrace::Dataset::Open(paths, *plan);
  if (!dataset) return dataset.status();
  for (uint64_t epoch = 0; epoch < 2; ++epoch) {
    auto order = headrace::Order::Make(
        {.rows = dataset->size(), .seed = 7, .epoch = epoch});
    if (!order) return order.status();
    std::vector<uint64_t> rows(kBatchSize);
    for (uint64_t begin = 0; begin < order->size(); begin += kBatchSize) {
      rows.resize(std::min<uint64_t>(kBatchSize, order->size() - begin));
      HEADRACE_RETURN_IF_ERROR(order->Rows(begin, rows));
      auto batch = dataset->Take(rows);
      if (!batch) return batch.status();
      std::span<const int64_t> ids = batch->FindTensor("id")->int64s();
      std::printf("epoch %d: %zu rows, the first is %lld\n",
                  static_cast<int>(epoch), batch->num_rows(),
                  static_cast<long long>(ids[0]));
    }
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  headrace::Status status = Train({argv + 1, argv + argc});
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}
