// EntryOrder remembers the order of the keys from record to record;
// entries_in_order-inl.h explains its use.

#ifndef HEADRACE_SRC_DECODE_EXAMPLE_ENTRY_ORDER_H_
#define HEADRACE_SRC_DECODE_EXAMPLE_ENTRY_ORDER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "src/decode/example/entry_places.h"
#include "src/decode/example/entry_shape.h"
#include "src/plan/compile/entry_template.h"
#include "src/plan/compile/program.h"

namespace headrace::decode {

class EntryOrder {
 public:
  // The entry that follows another one, after `skipped` entries without
  // templates.
  struct Follower {
    uint32_t index = 0;  // of its template
    uint32_t skipped = 0;
  };
  // A place in the record. It is a separate struct, so that a loop can keep it
  // in registers.
  struct Position {
    Follower* place = nullptr;  // holds the guess for the next entry
    uint32_t skipped = 0;       // entries since `place` without a template
    int trust = 0;
    int hits = 0;  // right guesses since the last wrong one
  };
  struct Trace {
    uint64_t in_runs = 0;
    uint64_t by_template = 0;
    uint64_t by_shape = 0;
    uint64_t skipped = 0;
    uint64_t general = 0;
    uint64_t short_steps = 0;  // of feature lists
  };
  // Starts a block of records. Forgets everything if the program has changed.
  void Start(const plan::Program& program);
  void StartRecord() {
    position.place = followers_.data();
    position.skipped = 0;
    position.hits = std::min(position.hits, kMaxTrust);
  }

  // The templates of the program's slots, then one that matches no entry, then
  // those of learnt keys. Pointers to them stay valid.
  const plan::EntryTemplate* templates() const { return templates_.data(); }
  bool MatchesNone(uint32_t index) const { return index == num_slots_; }

  static bool MayGuess(const Position& at) { return at.trust > 0; }
  // The first follower is for the beginning of a record, the next for template
  // 0, and so on. Pointers to them stay valid.
  Follower* followers() { return followers_.data(); }

  static void Miss(Position* at) {
    at->trust =
        std::clamp(at->trust + at->hits, -kMaxTrust, kMaxTrust) - kMissCost;
    at->hits = 0;
  }
  // Notes that the entry has this template, which was not guessed.
  void Found(uint32_t index, Position* at) {
    if (MayGuess(*at)) *at->place = {index, at->skipped};
    at->place = &followers_[index + 1];
    at->skipped = 0;
  }
  // Makes a template that skips the key, unless the key already has a template.
  // Returns its index; kNoSlot if the key is in the program, is not UTF-8, or
  // is too long, or if there is no room for a template.
  uint32_t Learn(const uint8_t* key, size_t size);

  Position position;
  Trace trace;
  EntryShape shape;
  EntryPlaces places;

 private:
  // Right guesses that make up for a wrong one: trust stays level if nineteen
  // in twenty are right.
  static constexpr int kMissCost = 19;
  static constexpr int kFirstTrust = 2 * kMissCost;
  static constexpr int kMaxTrust = 8 * kMissCost;
  static constexpr size_t kMaxLearnt = 512;
  static constexpr size_t kTableSize = 4 * kMaxLearnt;
  // Probes per key. Input may have keys whose hashes collide on purpose; keys
  // that would need more probes are not learnt.
  static constexpr size_t kMaxProbes = 8;

  // Everything learnt is valid for this program only, so it must stay alive.
  std::shared_ptr<const plan::Program> program_;
  uint32_t num_slots_ = 0;
  std::vector<plan::EntryTemplate> templates_;
  std::vector<Follower> followers_;
  std::vector<uint32_t> learnt_;  // template by hash of its key; 0: none
};

}  // namespace headrace::decode

#endif  // HEADRACE_SRC_DECODE_EXAMPLE_ENTRY_ORDER_H_
