// Walker walks a tf.train.Example or SequenceExample. Only Walker knows how the
// messages nest and how libprotobuf merges repeated parts.
//
//   Example         { Features features = 1; }
//   SequenceExample { Features context = 1; FeatureLists feature_lists = 2; }
//   Features        { map<string, Feature> feature = 1; }
//   FeatureLists    { map<string, FeatureList> feature_list = 1; }
//   FeatureList     { repeated Feature feature = 1; }
//   Feature         { oneof { BytesList = 1, FloatList = 2, Int64List = 3 } }
//
// Rules (docs/semantics.md): Messages down to the map entries may be split, and
// are merged. If entries have the same key, the last one counts; a sink sees
// every entry in wire order and must apply this rule. Inside one entry the last
// key counts and all values merge. Inside one Feature, lists of the same kind
// are joined, and a list of another kind discards the lists before it.
//
// A sink has these members; where they return a bool, false stops the walk:
//   TakeEntries(p, end)                   may decode entries of Features in its
//                                         own way; returns where it stopped: at
//                                         or before `end`, or past it if bytes
//                                         changed during the call
//   EnterFeature(Span key, bool* wanted)  an entry of Features; if not wanted,
//                                         its values are not walked
//   DropValues()                          forget the lists of this Feature
//   OnList(Kind, Span list, int depth)    must check the list's bytes, and
//                                         reports a fault through `end`
//   LeaveFeature(Kind)                    kNull: no list was set
// and for feature lists:
//   OnFeatureLists()                      the message is present
//   OnUnreadLists()                       the message may be present, but it is
//                                         walked as an Example; optional
//   EnterFeatureList(Span key, bool* wanted)
//   TakeSteps(p, end)                     like TakeEntries, for steps
//   EnterStep() LeaveStep(Kind) LeaveFeatureList()
//   wire::WalkEnd end                     why and where the walk ended

// The walk is compiled for each SIMD target, so that sinks inline into it. A
// file that does not include foreach_target.h compiles it once, for the static
// target.

#if defined(HEADRACE_SRC_DECODE_EXAMPLE_WALK_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef HEADRACE_SRC_DECODE_EXAMPLE_WALK_INL_H_
#undef HEADRACE_SRC_DECODE_EXAMPLE_WALK_INL_H_
#else
#define HEADRACE_SRC_DECODE_EXAMPLE_WALK_INL_H_
#endif

#include <cstdint>

#include "headrace/types.h"
#include "hwy/highway.h"
#include "wire/cursor.h"
#include "wire/repeated-inl.h"
#include "wire/utf8.h"
#include "wire/wire.h"

HWY_BEFORE_NAMESPACE();
namespace headrace::decode {
namespace HWY_NAMESPACE {

// Number of messages around a field; the limit on nested groups counts them,
// too.
inline constexpr int kFeaturesDepth = 1;
inline constexpr int kEntryDepth = 2;
inline constexpr int kFeatureDepth = 3;
inline constexpr int kFeatureListDepth = 3;
inline constexpr int kStepDepth = 4;

template <class Sink>
class Walker {
 public:
  // `depth` is the number of messages around the one to walk.
  explicit Walker(Sink& sink, int depth = 0) : sink_(sink), depth_(depth) {}

  // These return false if the bytes are malformed or the sink stopped the walk;
  // sink.end says which.
  bool WalkExample(wire::Span message) {
    return WalkMessage(message, /*sequence=*/false);
  }
  bool WalkSequence(wire::Span message) {
    return WalkMessage(message, /*sequence=*/true);
  }

 private:
  bool Fail(const wire::Cursor& cursor) {
    sink_.end = {cursor.fault(), cursor.position(), false};
    return false;
  }

  bool WalkMessage(wire::Span message, bool sequence) {
    wire::Cursor cursor(message);
    while (!cursor.done()) {
      uint32_t tag;
      wire::Span part;
      if (!cursor.ReadTag(&tag)) return Fail(cursor);
      if (tag == wire::Tag(1, wire::kLen)) {
        if (!cursor.ReadLen(&part)) return Fail(cursor);
        if (!WalkFeatures(part)) return false;
      } else if (sequence && tag == wire::Tag(2, wire::kLen)) {
        if (!cursor.ReadLen(&part)) return Fail(cursor);
        sink_.OnFeatureLists();
        if (!WalkFeatureLists(part)) return false;
      } else {
        if (tag == wire::Tag(2, wire::kLen)) NoteUnreadLists();
        if (!cursor.SkipValue(tag, depth_)) return Fail(cursor);
      }
    }
    return true;
  }

  void NoteUnreadLists() {
    if constexpr (requires { sink_.OnUnreadLists(); }) sink_.OnUnreadLists();
  }

  // Walks a message whose only field is a map, number 1. Before each field,
  // `take` may move on to any later one.
  template <class Take, class OnEntry>
  bool WalkMap(wire::Span map, Take&& take, OnEntry&& on_entry) {
    wire::Cursor cursor(map);
    while (true) {
      const uint8_t* const position = take(cursor.position(), map.end());
      if (position >= map.end()) return IsEnd(position, map);
      cursor.MoveTo(position);
      uint32_t tag;
      wire::Span entry;
      if (!cursor.ReadTag(&tag)) return Fail(cursor);
      if (tag == wire::Tag(1, wire::kLen)) {
        if (!cursor.ReadLen(&entry)) return Fail(cursor);
        if (!on_entry(entry)) return false;
      } else if (!cursor.SkipValue(tag, depth_ + kFeaturesDepth)) {
        return Fail(cursor);
      }
    }
  }

  bool IsEnd(const uint8_t* position, wire::Span map) {
    if (HWY_LIKELY(position == map.end())) return true;
    sink_.end = {wire::Fault::kChanged, map.end(), false};
    return false;
  }

  // A map entry is { string key = 1; Message value = 2; }. The last key counts,
  // so values are walked only after the whole entry was read. Writers put one
  // key before one value; then nothing is read twice.
  template <class OnKey, class OnValue>
  bool WalkEntry(wire::Span entry, OnKey&& on_key, OnValue&& on_value) {
    wire::Cursor cursor(entry);
    wire::Span key{entry.data, 0}, value;
    size_t num_values = 0;
    while (!cursor.done()) {
      uint32_t tag;
      if (!cursor.ReadTag(&tag)) return Fail(cursor);
      if (tag == wire::Tag(1, wire::kLen)) {
        if (!cursor.ReadLen(&key)) return Fail(cursor);
        if (!wire::IsUtf8(key)) {
          sink_.end = {wire::Fault::kUtf8, key.data, false};
          return false;
        }
      } else if (tag == wire::Tag(2, wire::kLen)) {
        if (!cursor.ReadLen(&value)) return Fail(cursor);
        ++num_values;
      } else if (!cursor.SkipValue(tag, depth_ + kEntryDepth)) {
        return Fail(cursor);
      }
    }
    bool wanted = true;
    if (!on_key(key, &wanted)) return false;
    if (!wanted || num_values == 0) return true;
    if (num_values == 1) return on_value(value);
    return WalkRepeatedValues(entry, on_value);
  }

  template <class OnValue>
  bool WalkRepeatedValues(wire::Span entry, OnValue&& on_value) {
    wire::Cursor cursor(entry);
    while (!cursor.done()) {
      uint32_t tag;
      wire::Span value;
      if (!cursor.ReadTag(&tag)) return Fail(cursor);
      if (tag == wire::Tag(2, wire::kLen)) {
        if (!cursor.ReadLen(&value)) return Fail(cursor);
        if (!on_value(value)) return false;
      } else if (!cursor.SkipValue(tag, depth_ + kEntryDepth)) {
        return Fail(cursor);  // the bytes changed after WalkEntry
      }
    }
    return true;
  }

  bool WalkFeatures(wire::Span features) {
    const auto take = [this](const uint8_t* p, const uint8_t* end)
                          HWY_ATTR { return sink_.TakeEntries(p, end); };
    return WalkMap(features, take, [this](wire::Span entry) HWY_ATTR {
      Kind kind = Kind::kNull;
      bool entered = false;
      const bool ok = WalkEntry(
          entry,
          [&](wire::Span key, bool* wanted) HWY_ATTR {
            if (!sink_.EnterFeature(key, wanted)) return false;
            entered = *wanted;
            return true;
          },
          [&](wire::Span value) HWY_ATTR {
            return WalkFeature(value, depth_ + kFeatureDepth, &kind);
          });
      return ok && (!entered || sink_.LeaveFeature(kind));
    });
  }

  bool WalkFeatureLists(wire::Span lists) {
    const auto take = [](const uint8_t* p, const uint8_t*) { return p; };
    return WalkMap(lists, take, [this](wire::Span entry) HWY_ATTR {
      bool entered = false;
      const bool ok = WalkEntry(
          entry,
          [&](wire::Span key, bool* wanted) HWY_ATTR {
            if (!sink_.EnterFeatureList(key, wanted)) return false;
            entered = *wanted;
            return true;
          },
          [&](wire::Span value) HWY_ATTR { return WalkFeatureList(value); });
      return ok && (!entered || sink_.LeaveFeatureList());
    });
  }

  bool WalkFeatureList(wire::Span list) {
    wire::Cursor cursor(list);
    while (true) {
      cursor.MoveTo(sink_.TakeSteps(cursor.position(), list.end()));
      if (cursor.done()) return true;
      uint32_t tag;
      wire::Span step;
      if (!cursor.ReadTag(&tag)) return Fail(cursor);
      if (tag == wire::Tag(1, wire::kLen)) {
        if (!cursor.ReadLen(&step)) return Fail(cursor);
        Kind kind = Kind::kNull;
        if (!sink_.EnterStep() ||
            !WalkFeature(step, depth_ + kStepDepth, &kind) ||
            !sink_.LeaveStep(kind)) {
          return false;
        }
      } else if (!cursor.SkipValue(tag, depth_ + kFeatureListDepth)) {
        return Fail(cursor);
      }
    }
  }

  // `*kind` is the kind of the parts of this Feature that were walked so far.
  bool WalkFeature(wire::Span feature, int depth, Kind* kind) {
    wire::Cursor cursor(feature);
    while (!cursor.done()) {
      uint32_t tag;
      if (!cursor.ReadTag(&tag)) return Fail(cursor);
      if (tag == wire::Tag(1, wire::kLen) || tag == wire::Tag(2, wire::kLen) ||
          tag == wire::Tag(3, wire::kLen)) {
        wire::Span list;
        if (!cursor.ReadLen(&list)) return Fail(cursor);
        const Kind found = static_cast<Kind>(tag >> 3);
        if (*kind != found && *kind != Kind::kNull) sink_.DropValues();
        *kind = found;
        if (!sink_.OnList(found, list, depth + 1)) return false;
      } else if (!cursor.SkipValue(tag, depth)) {
        return Fail(cursor);
      }
    }
    return true;
  }

  Sink& sink_;
  const int depth_;
};

}  // namespace HWY_NAMESPACE
}  // namespace headrace::decode
HWY_AFTER_NAMESPACE();

#endif  // HEADRACE_SRC_DECODE_EXAMPLE_WALK_INL_H_
