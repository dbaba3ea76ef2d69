// The leaves (optional folders) that this build has. -Dstats=false leaves out
// src/stats, and -Dtfds=false leaves out src/tfds; the program and the Python
// module then say so.

#ifndef HEADRACE_SRC_BASE_LEAVES_H_
#define HEADRACE_SRC_BASE_LEAVES_H_

namespace headrace {

#ifdef HEADRACE_LEAVES_OUT_STATS
inline constexpr bool kHasStats = false;
#else
inline constexpr bool kHasStats = true;
#endif
inline constexpr char kStatsLeftOut[] =
    "this build of headrace leaves out statistics (-Dstats=false)";

#ifdef HEADRACE_LEAVES_OUT_TFDS
inline constexpr bool kHasTfds = false;
#else
inline constexpr bool kHasTfds = true;
#endif
inline constexpr char kTfdsLeftOut[] =
    "this build of headrace leaves out folders of TensorFlow Datasets "
    "(-Dtfds=false)";

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_LEAVES_H_
