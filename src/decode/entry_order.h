// EntryOrder: in which order the records seen so far had their keys. What it is
// for, entries_in_order-inl.h explains; here it is kept from record to record.

#ifndef HEADRACE_SRC_DECODE_ENTRY_ORDER_H_
#define HEADRACE_SRC_DECODE_ENTRY_ORDER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "src/plan/entry_template.h"
#include "src/plan/program.h"

namespace headrace::decode {

class EntryOrder {
 public:
  // What comes behind an entry, after others that no template stands for.
  struct Follower {
    uint32_t index = 0;  // of a template
    uint32_t skipped = 0;
  };
  // Where a record stands. Kept apart so that a loop can have it in registers.
  struct Position {
    Follower* place = nullptr;  // what is expected here
    uint32_t skipped = 0;  // entries since then that no template stands for
    int trust = 0;
    int hits = 0;  // right guesses since the last wrong one
  };
  // How many entries were taken in each way, for tests.
  struct Trace {
    uint64_t by_template = 0;
    uint64_t by_shape = 0;
    uint64_t skipped = 0;
    uint64_t general = 0;
  };
  // For a block of records; forgets what was learnt for another program.
  void Start(const plan::Program& program);
  void StartRecord() {
    position.place = followers_.data();
    position.skipped = 0;
    position.hits = std::min(position.hits, kMostTrust);
  }

  // Those of the program's slots, one that no entry matches, and those of keys
  // that the program does not have. They stay where they are.
  const plan::EntryTemplate* templates() const { return templates_.data(); }
  bool MatchesNone(uint32_t index) const { return index == num_slots_; }

  static bool MayGuess(const Position& at) { return at.trust > 0; }
  // Of the begin of a record, then one behind each template. They stay, too.
  Follower* followers() { return followers_.data(); }

  // The guesses were wrong.
  static void Miss(Position* at) {
    at->trust =
        std::clamp(at->trust + at->hits, -kMostTrust, kMostTrust) - kMissCost;
    at->hits = 0;
  }
  // The entry has this template, which was not guessed.
  void Found(uint32_t index, Position* at) {
    if (MayGuess(*at)) *at->place = {index, at->skipped};
    at->place = &followers_[index + 1];
    at->skipped = 0;
  }
  // The entry has a key that is UTF-8 and not in the program. The index of its
  // template, learnt now or before; kNoSlot where there is none.
  uint32_t Learn(const uint8_t* key, size_t size);

  Position position;
  Trace trace;

 private:
  // Nineteen hits in twenty keep the trust.
  static constexpr int kMissCost = 19;
  static constexpr int kFirstTrust = 2 * kMissCost;
  static constexpr int kMostTrust = 8 * kMissCost;
  static constexpr size_t kMostLearnt = 512;
  static constexpr size_t kTableSize = 4 * kMostLearnt;
  // Keys whose hashes collide can be made at will; more of them than this are
  // not learnt.
  static constexpr size_t kMostProbes = 8;

  // Kept alive: what is learnt holds for this one alone.
  std::shared_ptr<const plan::Program> program_;
  uint32_t num_slots_ = 0;
  std::vector<plan::EntryTemplate> templates_;
  std::vector<Follower> followers_;
  std::vector<uint32_t> learnt_;  // indices by hash of the key; 0: none
};

}  // namespace headrace::decode

#endif  // HEADRACE_SRC_DECODE_ENTRY_ORDER_H_
