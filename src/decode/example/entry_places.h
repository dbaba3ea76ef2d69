// EntryPlaces holds the places of a record's payloads, by the slots of their
// keys.
//
// If records have their keys in different orders, all entries of a record are
// looked up first. Then values are stored in the order of the slots, which is
// the same in every record (entries_by_hash-inl.h).

#ifndef HEADRACE_SRC_DECODE_EXAMPLE_ENTRY_PLACES_H_
#define HEADRACE_SRC_DECODE_EXAMPLE_ENTRY_PLACES_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "src/decode/column/column_set.h"

namespace headrace::decode {

struct EntryPlaces {
  // Plans with more slots have no places. The arrays have a fixed size, so that
  // a loop needs one pointer for all of them.
  static constexpr size_t kMaxSlots = 1024;
  // Slots per chunk; their cells may be a group.
  static constexpr size_t kChunk = 16;
  static constexpr size_t kMaxChunks = kMaxSlots / kChunk;

  struct Place {
    uint32_t payload = 0;  // offset from where the look-up began
    uint32_t size = 0;
  };
  // Bit i of a mask is for slot i of the chunk.
  struct Chunk {
    uint16_t cells = 0;       // of its group
    uint16_t often = 0xFFFF;  // cells that records seldom lack
    // Number of the group's cells of each kind; cells are sorted by kind.
    uint8_t num_bytes = 0;
    uint8_t num_floats = 0;
    uint8_t num_ints = 0;
    uint8_t num_tries = 0;  // attempts to make a group
  };

  // Forgets everything.
  void Start() { *this = EntryPlaces(); }
  // Forgets all places. From now on a slot has a place if its mark is `mark`.
  void Begin() {
    if (++mark == 0) {
      marks.fill(0);
      mark = 1;
    }
  }

  uint8_t mark = 0;
  std::array<Place, kMaxSlots> places = {};
  std::array<uint8_t, kMaxSlots> marks = {};
  std::array<Chunk, kMaxChunks> chunks = {};
};

}  // namespace headrace::decode

#endif  // HEADRACE_SRC_DECODE_EXAMPLE_ENTRY_PLACES_H_
