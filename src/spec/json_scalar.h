// Values as JSON writes them: floats that are exact, bytes that are no text.

#ifndef HEADRACE_SRC_SPEC_JSON_SCALAR_H_
#define HEADRACE_SRC_SPEC_JSON_SCALAR_H_

#include <string>
#include <string_view>

namespace headrace::spec {

// A float from the text of a JSON number, without going through double: that
// would round twice. False where it is too large; what is too small is a zero.
bool ParseFloat(std::string_view number, float* value);

// "NaN", "Infinity", "-Infinity" or the eight digits of a bit pattern, like
// "0x7fc00001". False for any other text.
bool ParseFloatName(std::string_view text, float* value);

// False for anything but what an encoder writes; `bytes` is then undefined.
bool ParseBase64(std::string_view text, std::string* bytes);

// Numbers with a '.' or an exponent, the shortest that read back the same;
// otherwise the names above.
void AppendFloat(float value, std::string* out);

// In quotes. No control characters, which terminals obey. Where the text is not
// UTF-8 its bytes above 0x7f become U+FFFD.
void AppendString(std::string_view text, std::string* out);

// A string where that is possible, otherwise {"b64": "..."}.
void AppendBytes(std::string_view bytes, std::string* out);

}  // namespace headrace::spec

#endif  // HEADRACE_SRC_SPEC_JSON_SCALAR_H_
