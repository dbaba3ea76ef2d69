// HEADRACE_EXPORT marks what a shared libheadrace lets programs link to;
// everything else is hidden (docs/abi.md). C and C++ may include this.

#ifndef HEADRACE_EXPORT_H_
#define HEADRACE_EXPORT_H_

// On Windows the library itself is compiled with HEADRACE_BUILDING, and users
// of a DLL define HEADRACE_SHARED.
#if defined(_WIN32) && defined(HEADRACE_BUILDING)
#define HEADRACE_EXPORT __declspec(dllexport)
#elif defined(_WIN32) && defined(HEADRACE_SHARED)
#define HEADRACE_EXPORT __declspec(dllimport)
#elif defined(_WIN32)
#define HEADRACE_EXPORT
#elif defined(__cplusplus) && __cplusplus >= 201103L
// GCC takes no other form beside [[nodiscard]].
#define HEADRACE_EXPORT [[gnu::visibility("default")]]
#else
#define HEADRACE_EXPORT __attribute__((visibility("default")))
#endif

#endif  // HEADRACE_EXPORT_H_
