// EntryOrder: in which order the records seen so far had the keys of the plan.
//
// Most writers write every record in one order, so that the slot of the next
// entry can be guessed from that of the last one, and need not be looked up.
// Where guesses fail too often none are made: a wrong guess costs more than a
// look-up.

#ifndef HEADRACE_SRC_DECODE_ENTRY_ORDER_H_
#define HEADRACE_SRC_DECODE_ENTRY_ORDER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/plan/key_table.h"

namespace headrace::decode {

class EntryOrder {
 public:
  // Where a record stands. Kept apart so that a loop can have it in registers.
  struct Position {
    uint32_t place = 0;    // 0: its begin; i + 1: behind slot i
    uint32_t skipped = 0;  // entries since then that have no slot
    int trust = 0;
  };
  // How many entries were taken in each way, for tests.
  struct Trace {
    uint64_t by_template = 0;
    uint64_t by_shape = 0;
    uint64_t skipped = 0;
    uint64_t general = 0;
  };

  // For a block of records of a plan with so many slots.
  void Start(size_t num_slots) {
    if (followers_.size() != num_slots + 1) {
      followers_.assign(num_slots + 1, {});
    }
    position.trust = std::max(position.trust, kFirstTrust);
  }
  void StartRecord() {
    position.place = 0;
    position.skipped = 0;
  }

  // The slot that the next entry should have; kNoSlot for no guess.
  uint32_t Guess(const Position& at) const {
    const Follower& next = followers_[at.place];
    return at.trust > 0 && at.skipped == next.skipped ? next.slot
                                                      : plan::kNoSlot;
  }
  // The next best: the record may lack the slot that was guessed.
  uint32_t GuessBehind(uint32_t slot) const {
    const Follower& next = followers_[slot + 1];
    return next.skipped == 0 ? next.slot : plan::kNoSlot;
  }
  // The guess was right.
  static void Hit(uint32_t slot, Position* at) {
    at->trust = std::min(at->trust + 1, kMostTrust);
    at->place = slot + 1;
    at->skipped = 0;
  }
  // The entry has this slot; the guesses were others, or none was made.
  void Found(uint32_t slot, uint32_t guess, Position* at) {
    if (guess != plan::kNoSlot) at->trust -= kMissCost;
    if (at->trust > 0) followers_[at->place] = {slot, at->skipped};
    at->place = slot + 1;
    at->skipped = 0;
  }
  // The entry has no slot.
  static void Skipped(uint32_t guess, Position* at) {
    if (guess != plan::kNoSlot) at->trust -= kMissCost;
    ++at->skipped;
  }

  Position position;
  Trace trace;

 private:
  // Nineteen hits in twenty keep the trust.
  static constexpr int kMissCost = 19;
  static constexpr int kFirstTrust = 2 * kMissCost;
  static constexpr int kMostTrust = 8 * kMissCost;

  // What comes behind a slot, after entries that have none.
  struct Follower {
    uint32_t slot = plan::kNoSlot;
    uint32_t skipped = 0;
  };
  std::vector<Follower> followers_;
};

}  // namespace headrace::decode

#endif  // HEADRACE_SRC_DECODE_ENTRY_ORDER_H_
