// Every faster decoder is compared with this obvious slow one.
//
// It is written from the rules of the wire format and of tf.train
// (docs/semantics.md, "Wire"), recursive, copying at every step, and never
// optimised. It shares no code with the library; only the names of kinds and
// errors.

#ifndef HEADRACE_TESTS_NAIVE_NAIVE_DECODER_H_
#define HEADRACE_TESTS_NAIVE_NAIVE_DECODER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/types.h"

namespace headrace::testing {

struct NaiveFeature {
  Kind kind = Kind::kNull;
  std::vector<std::string> bytes = {};
  std::vector<uint32_t> floats = {};  // bit patterns, so that NaNs compare
  std::vector<int64_t> int64s = {};

  size_t size() const { return bytes.size() + floats.size() + int64s.size(); }
  int64_t count() const { return static_cast<int64_t>(size()); }
  bool operator==(const NaiveFeature&) const = default;
};

struct NaiveMessage {
  std::map<std::string, NaiveFeature> features;
  std::map<std::string, std::vector<NaiveFeature>> feature_lists;
  bool has_feature_lists = false;

  bool operator==(const NaiveMessage&) const = default;
};

// Empty for bytes that libprotobuf rejects. `type` is kExample or kSequence.
std::optional<NaiveMessage> NaiveParse(std::string_view bytes,
                                       MessageType type);

// Keys are those of features and of feature lists.
struct NaiveSelection {
  std::set<std::string> features = {};
  std::set<std::string> feature_lists = {};
};

// Only values of selected keys are looked at: a decoder with verify_unselected
// off must reject at least as much.
std::optional<NaiveMessage> NaiveParseSelected(std::string_view bytes,
                                               MessageType type,
                                               const NaiveSelection& selected);

// The bytes are the fields of a message that knows none of them.
bool NaiveIsMessage(std::string_view bytes);

// Nothing where the bytes are no packed run.
std::optional<std::vector<int64_t>> NaiveInt64s(std::string_view run);

// UTF-8 has no surrogates, no overlong forms, nothing above U+10FFFF.
bool NaiveIsUtf8(std::string_view text);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_NAIVE_NAIVE_DECODER_H_
