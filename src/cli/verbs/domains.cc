#include "src/cli/verbs/domains.h"

#include "headrace/stats.h"
#include "headrace/stats_report.h"

namespace headrace::cli {
namespace {

class StatsOfDomains final : public DomainCounter {
 public:
  explicit StatsOfDomains(MessageType message)
      : stats_({.message = message}, /*padded_input=*/true) {}

  Status Add(std::string_view file,
             std::span<const NumberedRecord> records) override {
    return stats_.AddRecords(file, records,
                             [](size_t, const Status&) { return Status(); });
  }
  std::string SchemaText() const override {
    return InferSchema(stats_.Summary(), {.domains = true}).ToText();
  }

 private:
  FeatureStats stats_;
};

}  // namespace

std::unique_ptr<DomainCounter> CountDomains(MessageType message) {
  return std::make_unique<StatsOfDomains>(message);
}

}  // namespace headrace::cli
