#include "src/plan/function/vocabulary.h"

#include <xxhash.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "src/base/checked_math.h"
#include "src/base/out_of_memory.h"
#include "src/base/system_error.h"
#include "src/base/text/numbers.h"
#include "src/base/text/quote.h"

namespace headrace::function {
namespace {

// The memory of a large table is far from the processor, so the loads of this
// many keys are under way at a time.
constexpr size_t kBlockOfKeys = 256;

// The keys of a list: how they are hashed, compared and prefetched.
class ByteKeyList {
 public:
  using Key = std::string_view;

  explicit ByteKeyList(const KeyList& list)
      : bytes_(reinterpret_cast<const char*>(list.keys.data())),
        starts_(reinterpret_cast<const uint64_t*>(list.starts.data())) {}

  Key operator[](size_t line) const {
    const uint64_t start = starts_[line];
    return {bytes_ + start, static_cast<size_t>(starts_[line + 1] - start)};
  }
  static uint64_t Hash(Key key) {
    return uint64_t{XXH3_64bits(key.data(), key.size())};
  }
  static std::string Text(Key key) { return Quote(std::string(key)); }
  void PrefetchPlace(size_t line) const { __builtin_prefetch(starts_ + line); }
  void PrefetchKey(size_t line) const {
    __builtin_prefetch(bytes_ + starts_[line]);
  }

 private:
  const char* bytes_;
  const uint64_t* starts_;
};

class IntKeyList {
 public:
  using Key = int64_t;

  explicit IntKeyList(const KeyList& list)
      : keys_(reinterpret_cast<const int64_t*>(list.keys.data())) {}

  Key operator[](size_t line) const { return keys_[line]; }
  static uint64_t Hash(Key key) {
    return uint64_t{XXH3_64bits(&key, sizeof(key))};
  }
  static std::string Text(Key key) { return std::to_string(key); }
  void PrefetchPlace(size_t line) const { __builtin_prefetch(keys_ + line); }
  void PrefetchKey(size_t) const {}

 private:
  const int64_t* keys_;
};

// Three of five slots are full.
size_t NumSlots(size_t count) {
  return static_cast<size_t>(uint64_t{count} * 5 / 3 + 1);
}

// Slots and tags are of different halves of the hash.
class Probe {
 public:
  Probe(uint64_t hash, size_t num_slots)
      : tag_(hash << 32),
        at_(static_cast<size_t>((hash >> 32) * num_slots >> 32)),
        num_slots_(num_slots) {}

  size_t at() const { return at_; }
  bool HasTag(uint64_t slot) const { return (slot ^ tag_) >> 32 == 0; }
  uint64_t SlotOf(size_t line) const { return tag_ | (line + 1); }
  void Advance() {
    if (++at_ == num_slots_) at_ = 0;
  }

 private:
  uint64_t tag_;
  size_t at_;
  size_t num_slots_;
};

bool IsEmpty(uint64_t slot) { return static_cast<uint32_t>(slot) == 0; }
size_t LineOf(uint64_t slot) { return static_cast<uint32_t>(slot) - 1; }

// Also the next line, which may be half of the places that are probed.
void PrefetchSlots(const uint64_t* slots, size_t at) {
  __builtin_prefetch(slots + at);
  __builtin_prefetch(reinterpret_cast<const char*>(slots + at) + 32);
}

// Moves the probe to the next slot with its tag, or to an empty one.
uint64_t NextLikely(const uint64_t* slots, Probe* probe) {
  while (true) {
    const uint64_t slot = slots[probe->at()];
    if (IsEmpty(slot) || probe->HasTag(slot)) return slot;
    probe->Advance();
  }
}

}  // namespace

template <class Keys>
Status Vocabulary::Fill(const Keys& keys, std::string_view line) {
  auto* const slots = reinterpret_cast<uint64_t*>(slots_.data());
  XXH3_state_t digest;
  XXH3_64bits_reset(&digest);
  uint64_t hashes[kBlockOfKeys];
  for (size_t begin = 0; begin < list_.count; begin += kBlockOfKeys) {
    const size_t count = std::min(kBlockOfKeys, list_.count - begin);
    for (size_t i = 0; i < count; ++i) {
      hashes[i] = Keys::Hash(keys[begin + i]);
      PrefetchSlots(slots, Probe(hashes[i], num_slots_).at());
    }
    XXH3_64bits_update(&digest, hashes, count * sizeof(uint64_t));
    for (size_t i = 0; i < count; ++i) {
      Probe probe(hashes[i], num_slots_);
      uint64_t slot;
      while (!IsEmpty(slot = NextLikely(slots, &probe))) {
        const auto key = keys[begin + i];
        if (keys[LineOf(slot)] == key) {
          return Status(
              ErrorCode::kBadSpec,
              std::string(line) + " " + Grouped(uint64_t{begin} + i + 1) +
                  " of the vocabulary repeats " + std::string(line) + " " +
                  Grouped(uint64_t{LineOf(slot)} + 1) + ": " + Keys::Text(key));
        }
        probe.Advance();
      }
      slots[probe.at()] = probe.SlotOf(begin + i);
    }
  }
  digest_ = uint64_t{XXH3_64bits_digest(&digest)};
  return Status();
}

// Looks at all slots of a key; FindAll stops at the first likely one.
template <class Keys>
int64_t Vocabulary::FindOne(const Keys& own, uint64_t hash,
                            typename Keys::Key key) const {
  const auto* const slots = reinterpret_cast<const uint64_t*>(slots_.data());
  Probe probe(hash, num_slots_);
  uint64_t slot;
  while (!IsEmpty(slot = NextLikely(slots, &probe))) {
    if (own[LineOf(slot)] == key) return static_cast<int64_t>(LineOf(slot));
    probe.Advance();
  }
  return kNoLine;
}

template <class Keys>
void Vocabulary::FindAll(const Keys& own,
                         std::span<const typename Keys::Key> keys,
                         int64_t* lines) const {
  const auto* const slots = reinterpret_cast<const uint64_t*>(slots_.data());
  uint64_t hashes[kBlockOfKeys];
  size_t places[kBlockOfKeys];
  for (size_t begin = 0; begin < keys.size(); begin += kBlockOfKeys) {
    const size_t count = std::min(kBlockOfKeys, keys.size() - begin);
    for (size_t i = 0; i < count; ++i) {
      hashes[i] = Keys::Hash(keys[begin + i]);
      PrefetchSlots(slots, Probe(hashes[i], num_slots_).at());
    }
    // A tag is nearly always that of the key.
    for (size_t i = 0; i < count; ++i) {
      Probe probe(hashes[i], num_slots_);
      const uint64_t slot = NextLikely(slots, &probe);
      places[i] = IsEmpty(slot) ? list_.count : LineOf(slot);
      own.PrefetchPlace(places[i]);
    }
    for (size_t i = 0; i < count; ++i) {
      if (places[i] < list_.count) own.PrefetchKey(places[i]);
    }
    for (size_t i = 0; i < count; ++i) {
      const auto key = keys[begin + i];
      int64_t line = kNoLine;
      if (places[i] < list_.count) {
        line = own[places[i]] == key ? static_cast<int64_t>(places[i])
                                     : FindOne(own, hashes[i], key);
      }
      lines[begin + i] = line;
    }
  }
}

Result<std::shared_ptr<const Vocabulary>> Vocabulary::Build(
    Result<KeyList> list, std::string_view line) {
  if (!list.ok()) return list.status();
  const std::shared_ptr<Vocabulary> made(new Vocabulary(*std::move(list)));
  made->num_slots_ = NumSlots(made->list_.count);
  size_t size;
  if (!CheckedMul(made->num_slots_, sizeof(uint64_t), &size) ||
      !made->slots_.Grow(size)) {
    return Status::OutOfMemory();
  }
  std::memset(made->slots_.data(), 0, size);
  HEADRACE_RETURN_IF_ERROR(made->type() == DType::kBytes
                               ? made->Fill(ByteKeyList(made->list_), line)
                               : made->Fill(IntKeyList(made->list_), line));
  return made;
}

Result<std::shared_ptr<const Vocabulary>> Vocabulary::FromFile(
    const std::string& path, DType type, std::optional<uint64_t> size) {
  assert(type == DType::kBytes || type == DType::kInt64);
  return CatchOutOfMemory([&] {
    return NameFile(Build(ReadKeys(path, type, size), "line"), path);
  });
}

Result<std::shared_ptr<const Vocabulary>> Vocabulary::FromKeys(
    std::span<const std::string_view> keys) {
  return CatchOutOfMemory([&] { return Build(CopyKeys(keys), "key"); });
}

Result<std::shared_ptr<const Vocabulary>> Vocabulary::FromKeys(
    std::span<const int64_t> keys) {
  return CatchOutOfMemory([&] { return Build(CopyKeys(keys), "key"); });
}

uint64_t Vocabulary::memory() const {
  return uint64_t{list_.keys.capacity()} + list_.starts.capacity() +
         slots_.capacity();
}

void Vocabulary::Find(std::span<const std::string_view> keys,
                      int64_t* lines) const {
  assert(type() == DType::kBytes);
  FindAll(ByteKeyList(list_), keys, lines);
}

void Vocabulary::Find(std::span<const int64_t> keys, int64_t* lines) const {
  assert(type() == DType::kInt64);
  FindAll(IntKeyList(list_), keys, lines);
}

}  // namespace headrace::function
