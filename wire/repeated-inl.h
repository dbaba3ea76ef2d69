// These functions walk messages { repeated T value = 1; }. Packed, unpacked and
// mixed forms are distinguished here and nowhere else.
//
// Each function calls back once per run, in wire order, and returns where and
// why it ended. A callback returns false to stop early; then WalkEnd::stopped
// is true. The functions are compiled for each SIMD target, so that callbacks
// inline.

#if defined(HEADRACE_WIRE_REPEATED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEADRACE_WIRE_REPEATED_INL_H_
#undef HEADRACE_WIRE_REPEATED_INL_H_
#else
#define HEADRACE_WIRE_REPEATED_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "wire/cursor.h"
#include "wire/wire.h"

HWY_BEFORE_NAMESPACE();
namespace headrace::wire {
namespace HWY_NAMESPACE {

// T is bytes: calls on_value(Span).
template <class OnValue>
WalkEnd WalkBytes(Span list, int depth, OnValue&& on_value) {
  Cursor cursor(list);
  while (!cursor.done()) {
    uint32_t tag;
    Span value;
    if (!cursor.ReadTag(&tag)) return {cursor.fault(), cursor.position()};
    if (tag == Tag(1, kLen)) {
      if (!cursor.ReadLen(&value)) return {cursor.fault(), cursor.position()};
      if (!on_value(value)) return {.stopped = true};
    } else if (!cursor.SkipValue(tag, depth)) {
      return {cursor.fault(), cursor.position()};
    }
  }
  return {};
}

// T is float: calls on_run(Span) with a multiple of four bytes. A value that is
// not packed is a separate run.
template <class OnRun>
WalkEnd WalkFixed32(Span list, int depth, OnRun&& on_run) {
  Cursor cursor(list);
  while (!cursor.done()) {
    uint32_t tag;
    if (!cursor.ReadTag(&tag)) return {cursor.fault(), cursor.position()};
    Span run{cursor.position(), 4};
    if (tag == Tag(1, kLen)) {
      if (!cursor.ReadLen(&run)) return {cursor.fault(), cursor.position()};
      if (run.size % 4 != 0) return {Fault::kPackedSize, run.data};
    } else if (tag == Tag(1, kFixed32)) {
      uint32_t value;
      if (!cursor.ReadFixed32(&value)) {
        return {cursor.fault(), cursor.position()};
      }
    } else {
      if (!cursor.SkipValue(tag, depth)) {
        return {cursor.fault(), cursor.position()};
      }
      continue;
    }
    if (!on_run(run)) return {.stopped = true};
  }
  return {};
}

// T is int64: calls on_run(Span) with a packed run, whose content on_run must
// check, and on_one(uint64_t) with a value that is not packed.
template <class OnRun, class OnOne>
WalkEnd WalkVarints(Span list, int depth, OnRun&& on_run, OnOne&& on_one) {
  Cursor cursor(list);
  while (!cursor.done()) {
    uint32_t tag;
    if (!cursor.ReadTag(&tag)) return {cursor.fault(), cursor.position()};
    if (tag == Tag(1, kLen)) {
      Span run;
      if (!cursor.ReadLen(&run)) return {cursor.fault(), cursor.position()};
      if (!on_run(run)) return {.stopped = true};
    } else if (tag == Tag(1, kVarint)) {
      uint64_t value;
      if (!cursor.ReadVarint(&value)) {
        return {cursor.fault(), cursor.position()};
      }
      if (!on_one(value)) return {.stopped = true};
    } else if (!cursor.SkipValue(tag, depth)) {
      return {cursor.fault(), cursor.position()};
    }
  }
  return {};
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace::wire
HWY_AFTER_NAMESPACE();

#endif  // HEADRACE_WIRE_REPEATED_INL_H_
