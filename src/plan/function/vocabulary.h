// A Vocabulary numbers keys by their lines in a file, or by their places in a
// list.

#ifndef HEADRACE_SRC_PLAN_FUNCTION_VOCABULARY_H_
#define HEADRACE_SRC_PLAN_FUNCTION_VOCABULARY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "headrace/status.h"
#include "headrace/types.h"
#include "src/base/memory/buffer.h"
#include "src/plan/function/vocabulary_lines.h"

namespace headrace::function {

// The line of a key that is not in the vocabulary.
inline constexpr int64_t kNoLine = -1;

// Immutable, so any number of threads may look keys up at a time. All of it is
// in memory of the process; a file may change after it was read.
class Vocabulary {
 public:
  // `type` is kBytes or kInt64, the type of the keys. Fails as ReadKeys and
  // CopyKeys do, and with kBadSpec if a key occurs twice; the text has both
  // lines. Texts of the same int64 are one key. Errors of a file name it.
  static Result<std::shared_ptr<const Vocabulary>> FromFile(
      const std::string& path, DType type,
      std::optional<uint64_t> size = std::nullopt);
  static Result<std::shared_ptr<const Vocabulary>> FromKeys(
      std::span<const std::string_view> keys);
  static Result<std::shared_ptr<const Vocabulary>> FromKeys(
      std::span<const int64_t> keys);

  Vocabulary(const Vocabulary&) = delete;
  Vocabulary& operator=(const Vocabulary&) = delete;

  DType type() const { return list_.type; }
  uint64_t size() const { return list_.count; }  // number of keys
  // An XXH3 of the keys and their order. Vocabularies of the same keys have the
  // same one, whatever ended the lines.
  uint64_t digest() const { return digest_; }
  uint64_t memory() const;  // bytes, without the object itself

  // Stores in `lines` the line of each key, from 0, or kNoLine. The keys are of
  // type(). Reads no byte outside of a key.
  void Find(std::span<const std::string_view> keys, int64_t* lines) const;
  void Find(std::span<const int64_t> keys, int64_t* lines) const;

 private:
  explicit Vocabulary(KeyList list) : list_(std::move(list)) {}
  static Result<std::shared_ptr<const Vocabulary>> Build(Result<KeyList> list,
                                                         std::string_view line);

  template <class Keys>
  Status Fill(const Keys& keys, std::string_view line);
  template <class Keys>
  void FindAll(const Keys& own, std::span<const typename Keys::Key> keys,
               int64_t* lines) const;
  template <class Keys>
  int64_t FindOne(const Keys& own, uint64_t hash, typename Keys::Key key) const;

  KeyList list_;
  // uint64_t slots of a hash table with linear probing. The high half is a tag,
  // the low half a line plus 1, or 0 in an empty slot.
  Buffer slots_;
  size_t num_slots_ = 0;
  uint64_t digest_ = 0;
};

}  // namespace headrace::function

#endif  // HEADRACE_SRC_PLAN_FUNCTION_VOCABULARY_H_
