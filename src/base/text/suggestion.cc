#include "src/base/text/suggestion.h"

#include "src/base/text/near_miss.h"
#include "src/base/text/quote.h"

namespace headrace {

std::string DidYouMean(std::string_view name,
                       std::span<const std::string_view> names) {
  const auto nearest = NearMisses(name, names, 1);
  return nearest.empty() ? "" : "; did you mean " + Quote(nearest[0]) + "?";
}

std::string Suggestion(std::string_view name, std::string_view whose,
                       std::span<const std::string_view> names) {
  std::string text = DidYouMean(name, names);
  if (!text.empty()) return text;
  text = "; " + std::string(whose) + " are ";
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += ", ";
    text += Quote(names[i]);
  }
  return text;
}

}  // namespace headrace
