#include "src/base/text/near_miss.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "src/base/text/quote.h"

namespace headrace {
namespace {

// The maximum numbers of letters of a name, and of names, that are compared.
constexpr size_t kLongestName = 64;
constexpr size_t kMaxNames = 1000;
// Minimum letters of a prefix; a shorter one begins too many names.
constexpr size_t kShortestPrefix = 3;

char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Returns the number of letters to insert, remove, replace or swap with the
// next one in order to turn one name into the other; case does not count
// (Damerau and Levenshtein's distance, where no letter is touched twice).
size_t Distance(std::string_view a, std::string_view b) {
  a = a.substr(0, kLongestName);
  b = b.substr(0, kLongestName);
  // steps[i % 3][j] leads from the first i letters of `a` to the first j of
  // `b`.
  size_t steps[3][kLongestName + 1];
  std::iota(steps[0], steps[0] + b.size() + 1, size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t* const row = steps[i % 3];
    const size_t* const above = steps[(i + 2) % 3];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const char x = Lower(a[i - 1]), y = Lower(b[j - 1]);
      row[j] =
          std::min({above[j - 1] + (x != y), above[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && x == Lower(b[j - 2]) && Lower(a[i - 2]) == y) {
        row[j] = std::min(row[j], steps[(i + 1) % 3][j - 2] + 1);
      }
    }
  }
  return steps[a.size() % 3][b.size()];
}

// Users write "default_value" for "default", and "pad" for "pad_to".
bool OneBeginsTheOther(std::string_view a, std::string_view b) {
  return std::min(a.size(), b.size()) >= kShortestPrefix &&
         (a.starts_with(b) || b.starts_with(a));
}

}  // namespace

std::vector<std::string_view> NearMisses(
    std::string_view name, std::span<const std::string_view> names,
    size_t most) {
  const size_t far = std::min(name.size(), kLongestName) / 3;
  std::vector<std::pair<size_t, std::string_view>> near;
  for (const std::string_view other :
       names.first(std::min(names.size(), kMaxNames))) {
    const bool begins = OneBeginsTheOther(name, other);
    // A minmax of references to temporaries would dangle, so this one has
    // values.
    const auto sizes = std::minmax({name.size(), other.size()});
    if (sizes.second - sizes.first > far && !begins) continue;
    const size_t distance = Distance(name, other);
    if (distance <= far || begins) near.emplace_back(distance, other);
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string_view> misses;
  for (size_t i = 0; i < std::min(most, near.size()); ++i) {
    misses.push_back(near[i].second);
  }
  return misses;
}

std::string DidYouMean(std::string_view name,
                       std::span<const std::string_view> names) {
  const auto nearest = NearMisses(name, names, 1);
  return nearest.empty() ? "" : "; did you mean " + Quote(nearest[0]) + "?";
}

std::string DidYouMean(std::string_view name,
                       const std::vector<std::string>& names) {
  return DidYouMean(name,
                    std::vector<std::string_view>(names.begin(), names.end()));
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
