#include "src/cli/text/did_you_mean.h"

#include "src/base/text/near_miss.h"

namespace headrace::cli {

std::string DidYouMean(std::string_view name,
                       const std::vector<std::string>& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  const auto near = NearMisses(name, views, 1);
  return near.empty() ? ""
                      : "; did you mean " + std::string(near.front()) + "?";
}

}  // namespace headrace::cli
