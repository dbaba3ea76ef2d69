// EntryShape holds the bytes that records have in common if they have the same
// keys in the same order with values of the same sizes.
//
// In such records the same bytes are at the same distance from one another, and
// only payloads differ. So the bytes between the payloads of many entries can
// be compared together (entries_in_runs-inl.h). The shape is made from one
// record. Entries whose size often changes are cut out of it.

#ifndef HEADRACE_SRC_DECODE_EXAMPLE_ENTRY_SHAPE_H_
#define HEADRACE_SRC_DECODE_EXAMPLE_ENTRY_SHAPE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "headrace/types.h"

namespace headrace::decode {

class EntryShape {
 public:
  // How the payload of an entry is verified.
  enum class Payload : uint8_t {
    kAny,     // any bytes of this size
    kVarint,  // one varint of this size
    kCut,     // not at all: the entry is not part of a run
  };
  struct Entry {
    uint32_t index = 0;  // of its template
    uint16_t start = 0;  // offsets in the shape
    uint16_t payload = 0;
    uint16_t end = 0;
    uint16_t run_end = 0;  // where the next entry that is cut begins
    uint16_t alike = 0;    // index of the next entry of another kind
    uint16_t chunk = 0;
    uint8_t size = 0;  // of the payload
    Kind kind = Kind::kNull;
  };
  // Adjacent entries; their cells may be a group.
  struct Chunk {
    uint16_t begin = 0;
    uint16_t end = 0;
    bool is_group = false;
  };

  // Readable bytes after the bytes of the shape.
  static constexpr size_t kSlack = 64;
  // Maximum entries of a shape; it leaves out later entries.
  static constexpr size_t kMaxEntries = 1024;
  // Maximum number of chunks that may be groups.
  static constexpr size_t kMaxGroups = 64;
  // Entries in the shortest run: a shorter run costs as much as taking its
  // entries one by one.
  static constexpr size_t kMinRun = 4;

  // True if the shape may be used; it then counts where runs break.
  bool is_active() const { return is_active_; }
  size_t size() const { return entries_.size(); }
  const Entry* entries() const { return entries_.data(); }
  const Chunk* chunks() const { return chunks_.data(); }
  // Changes whenever the chunks change.
  uint32_t version() const { return version_; }
  const uint8_t* bytes() const { return bytes_.data(); }
  const uint8_t* mask() const { return mask_.data(); }  // of compared bits
  // The entry of each byte; size() after the last one.
  const uint16_t* entry_of() const { return entry_of_.data(); }
  // Returns the entry with this template; size() if there is none, or if the
  // run that begins there is too short.
  size_t FindRun(uint32_t index) const {
    return index < run_of_.size() ? run_of_[index] : entries_.size();
  }
  void NoteBreak(size_t entry) {
    ++breaks_[entry];
    num_breaks_ += is_cut_[entry] == 0;
  }

  // True if runs are so short that looking entries up is faster. After some
  // thousand look-ups the shape is forgotten, as records may have changed.
  bool is_scattered() const { return look_ups_left_ > 0; }
  void NoteLookUp() {
    if (--look_ups_left_ == 0) Clear();
  }

  // Forgets everything.
  void Clear();
  // Starts a shape at the first byte of a record.
  void Begin(const uint8_t* record);
  // Adds the next entry of the record, into which the pointers point. Returns
  // false if the shape would be too large.
  bool Add(uint32_t index, const uint8_t* start, const uint8_t* payload,
           size_t size, const uint8_t* end, Kind kind, Payload verified);
  void Finish();

  // Called after a whole record was taken in order. `num_entries` counts its
  // entries, `in_runs` the entries that runs took. Returns true if the shape
  // should be made from this record.
  bool Review(uint64_t num_entries, uint64_t in_runs);

 private:
  void Drop();
  void StartPeriod();
  void Cut();
  void FindRuns();
  void FindChunks();

  static constexpr size_t kMaxBytes = size_t{8} << 10;
  // Number of candidate records; the longest one becomes the shape.
  static constexpr uint32_t kCandidates = 8;
  // Records per period, which ends early after kMaxBreaks breaks.
  static constexpr uint32_t kPeriod = 64;
  static constexpr uint64_t kMaxBreaks = 256;
  // Number of entries in runs that save as much as one break costs.
  static constexpr uint64_t kEntriesPerBreak = 16;
  static constexpr uint32_t kMaxWait = 1 << 16;
  // A run of this many entries takes as long as looking all of them up.
  static constexpr size_t kShortRun = 8;
  static constexpr uint32_t kLookUps = 1 << 12;

  bool is_active_ = false;
  uint32_t candidates_ = 0;  // seen so far
  uint32_t countdown_ = 1;   // records until the next candidate
  uint32_t wait_ = kPeriod;  // records until a dropped shape is made again
  // In this period:
  uint32_t num_records_ = 0;
  uint64_t num_entries_ = 0;
  uint64_t in_runs_ = 0;
  uint64_t num_breaks_ = 0;  // at entries that are not cut
  uint32_t look_ups_left_ = 0;
  size_t num_runs_ = 0;  // between entries that are cut
  size_t num_in_runs_ = 0;

  const uint8_t* record_ = nullptr;
  uint32_t num_bytes_ = 0;
  uint32_t version_ = 0;
  std::vector<Chunk> chunks_;
  std::vector<Entry> entries_;
  std::vector<uint16_t> breaks_;  // of runs at each entry, in this period
  std::vector<uint16_t> run_of_;  // entry by template
  std::vector<uint8_t> is_cut_;
  std::vector<uint8_t> bytes_;
  std::vector<uint8_t> mask_;
  std::vector<uint16_t> entry_of_;
};

}  // namespace headrace::decode

#endif  // HEADRACE_SRC_DECODE_EXAMPLE_ENTRY_SHAPE_H_
