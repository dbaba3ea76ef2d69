#include "src/plan/tfmd/text_scalar.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <system_error>

#include "absl/strings/charconv.h"

namespace headrace::tfmd_forms {
namespace {

constexpr unsigned kNoDigit = 99;

unsigned DigitOf(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  const char lower = static_cast<char>(c | 0x20);
  if (lower >= 'a' && lower <= 'f') {
    return static_cast<unsigned>(lower - 'a') + 10;
  }
  return kNoDigit;
}

// Parses digits. Python allows one '_' before a digit; in decimal and octal
// numbers, only between two digits.
ScalarFault ParseDigits(std::string_view digits, unsigned base,
                        bool underscore_first, uint64_t* magnitude) {
  *magnitude = 0;
  bool overflow = false;
  bool may_separate = underscore_first;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (digits[i] == '_') {
      if (!may_separate || i + 1 == digits.size()) return ScalarFault::kSyntax;
      may_separate = false;
      continue;
    }
    const unsigned digit = DigitOf(digits[i]);
    if (digit >= base) return ScalarFault::kSyntax;
    overflow |= __builtin_mul_overflow(*magnitude, base, magnitude);
    overflow |= __builtin_add_overflow(*magnitude, digit, magnitude);
    may_separate = true;
  }
  if (digits.empty()) return ScalarFault::kSyntax;
  return overflow ? ScalarFault::kTooLarge : ScalarFault::kNone;
}

// Moves digits, with single '_' between them, from the front of `text` to
// `out`, without the '_'.
bool TakeDigits(std::string_view* text, std::string* out) {
  size_t i = 0;
  while (i < text->size() &&
         (DigitOf((*text)[i]) < 10 ||
          ((*text)[i] == '_' && i > 0 && (*text)[i - 1] != '_'))) {
    if ((*text)[i] != '_') out->push_back((*text)[i]);
    ++i;
  }
  if (i > 0 && (*text)[i - 1] == '_') return false;
  text->remove_prefix(i);
  return i > 0;
}

// Appends a decimal number to `out`, without '_'. Returns false if `text` is
// not exactly one number.
bool TakeDecimal(std::string_view text, std::string* out) {
  const bool whole = TakeDigits(&text, out);
  bool fraction = false;
  if (text.starts_with('.')) {
    out->push_back('.');
    text.remove_prefix(1);
    fraction = TakeDigits(&text, out);
  }
  if (!whole && !fraction) return false;
  if (text.starts_with('e') || text.starts_with('E')) {
    out->push_back('e');
    text.remove_prefix(1);
    if (text.starts_with('-') || text.starts_with('+')) {
      // Abseil accepts both signs in exponents.
      out->push_back(text[0]);
      text.remove_prefix(1);
    }
    if (!TakeDigits(&text, out)) return false;
  }
  return text.empty();
}

bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) {
                      return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b;
                    });
}

// Python accepts any number of suffixes, libprotobuf one.
std::string_view WithoutSuffix(std::string_view text) {
  while (text.ends_with('f') || text.ends_with('F')) text.remove_suffix(1);
  return text;
}

// Parses a name; its sign has been read. The 'f' of "inf" is not a suffix.
bool ParseName(std::string_view text, char sign, double* value) {
  const std::string_view name = WithoutSuffix(text);
  if (EqualsIgnoringCase(text, "inf") || EqualsIgnoringCase(name, "infinity") ||
      (EqualsIgnoringCase(text, "inff") && sign != '+')) {
    *value = std::numeric_limits<double>::infinity();
    return true;
  }
  *value = std::numeric_limits<double>::quiet_NaN();
  return EqualsIgnoringCase(name, "nan");
}

// Reads at most `most` digits and moves `*p` after them. Returns their number.
size_t TakeCode(const char** p, const char* end, unsigned base, size_t most,
                uint32_t* code) {
  *code = 0;
  size_t count = 0;
  for (; count < most && *p != end && DigitOf(**p) < base; ++count, ++*p) {
    *code = *code * base + DigitOf(**p);
  }
  return count;
}

// Also encodes half of a surrogate pair without the other half, as libprotobuf
// does.
void AppendUtf8(uint32_t code, std::string* out) {
  const auto tail = [&](int shift) {
    out->push_back(static_cast<char>(0x80 | (code >> shift & 0x3F)));
  };
  if (code < 0x80) {
    out->push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out->push_back(static_cast<char>(0xC0 | code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    out->push_back(static_cast<char>(0xE0 | code >> 12));
    tail(6);
    tail(0);
  } else {
    out->push_back(static_cast<char>(0xF0 | code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

// Reads the second half of a surrogate pair if `code` is the first.
void TakeTrail(const char** p, const char* end, uint32_t* code) {
  if (*code < 0xD800 || *code > 0xDBFF) return;
  const char* at = *p;
  if (end - at < 6 || at[0] != '\\' || at[1] != 'u') return;
  at += 2;
  uint32_t trail;
  if (TakeCode(&at, end, 16, 4, &trail) != 4) return;
  if (trail < 0xDC00 || trail > 0xDFFF) return;
  *code = 0x10000 + ((*code - 0xD800) << 10) + (trail - 0xDC00);
  *p = at;
}

// Reads an escape; `*p` is after its backslash.
bool TakeEscape(const char** p, const char* end, std::string* out) {
  static constexpr std::string_view kLetters = "abfnrtv\\?'\"";
  static constexpr std::string_view kValues = "\a\b\f\n\r\t\v\\?'\"";
  const char letter = **p;
  uint32_t code;
  if (const size_t at = kLetters.find(letter); at != kLetters.npos) {
    ++*p;
    out->push_back(kValues[at]);
    return true;
  }
  if (TakeCode(p, end, 8, 3, &code) > 0) {
    // libprotobuf accepts "\777" as a byte, too.
    out->push_back(static_cast<char>(code));
    return true;
  }
  ++*p;
  switch (letter) {
    case 'x':
      if (TakeCode(p, end, 16, 2, &code) == 0) return false;
      out->push_back(static_cast<char>(code));
      return true;
    case 'u':
      if (TakeCode(p, end, 16, 4, &code) != 4) return false;
      TakeTrail(p, end, &code);
      AppendUtf8(code, out);
      return true;
    case 'U':
      if (TakeCode(p, end, 16, 8, &code) != 8 || code > 0x10FFFF) return false;
      AppendUtf8(code, out);
      return true;
    case 'N':
      // Python accepts names of characters: "\N{BULLET}".
      return false;
    default:
      // Python keeps the backslash of an unknown escape.
      out->push_back('\\');
      out->push_back(letter);
      return true;
  }
}

}  // namespace

ScalarFault ParseWhole(std::string_view text, char sign, uint64_t* magnitude) {
  *magnitude = 0;
  if (text.size() > 1 && text[0] == '0') {
    const char mark = static_cast<char>(text[1] | 0x20);
    const unsigned base = mark == 'x'   ? 16
                          : mark == 'o' ? 8
                          : mark == 'b' ? 2
                                        : 0;
    if (base != 0) {
      return ParseDigits(text.substr(2), base, true, magnitude);
    }
    if (DigitOf(text[1]) < 10) {
      // Python accepts octal numbers as in C, except after a '+' or with a '_'.
      if (sign == '+' || text.find('_') != text.npos) {
        return ScalarFault::kSyntax;
      }
      return ParseDigits(text.substr(1), 8, false, magnitude);
    }
  }
  const ScalarFault fault = ParseDigits(text, 10, false, magnitude);
  // Python reads "0_0" as zero, and does not accept "0_1".
  return text.starts_with("0") && *magnitude != 0 ? ScalarFault::kSyntax
                                                  : fault;
}

bool IsPlainWhole(std::string_view text) {
  return text.find_first_of("_bBoO") == text.npos;
}

ScalarFault ParseDecimal(std::string_view text, char sign, double* value) {
  if (!ParseName(text, sign, value)) {
    // "010" and "00.5" would be octal. After a '+' Python does not check.
    if (text.size() > 1 && text[0] == '0' && DigitOf(text[1]) < 10 &&
        sign != '+') {
      return ScalarFault::kSyntax;
    }
    std::string number;
    if (!TakeDecimal(WithoutSuffix(text), &number)) return ScalarFault::kSyntax;
    const auto result =
        absl::from_chars(number.data(), number.data() + number.size(), *value);
    // Abseil returns the largest finite number instead of an infinity.
    if (result.ec == std::errc::result_out_of_range && *value > 1) {
      *value = std::numeric_limits<double>::infinity();
    }
  }
  if (sign == '-') *value = -*value;
  return ScalarFault::kNone;
}

bool Unescape(std::string_view literal, std::string* out, size_t* fault) {
  const char* p = literal.data() + 1;
  const char* const end = literal.data() + literal.size() - 1;
  std::string ignored;
  while (p != end) {
    const char* const begin = p;
    while (p != end && *p != '\\') ++p;
    if (out != nullptr) out->append(begin, p);
    if (p == end) return true;
    const char* const escape = p++;
    ignored.clear();
    if (!TakeEscape(&p, end, out != nullptr ? out : &ignored)) {
      *fault = static_cast<size_t>(escape - literal.data());
      return false;
    }
  }
  return true;
}

}  // namespace headrace::tfmd_forms
