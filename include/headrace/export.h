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

// What a function so marked returns points into the object that it is called
// of. Clang warns where it would outlive that.
#if defined(__cplusplus) && defined(__has_cpp_attribute)
#if __has_cpp_attribute(clang::lifetimebound)
#define HEADRACE_LIFETIME_BOUND [[clang::lifetimebound]]
#endif
#endif
#ifndef HEADRACE_LIFETIME_BOUND
#define HEADRACE_LIFETIME_BOUND
#endif

#endif  // HEADRACE_EXPORT_H_
