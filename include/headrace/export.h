// HEADRACE_EXPORT marks the symbols that a shared libheadrace exports; all
// others are hidden (docs/abi.md). C and C++ may include this.

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
// GCC accepts no other form together with [[nodiscard]].
#define HEADRACE_EXPORT [[gnu::visibility("default")]]
#else
#define HEADRACE_EXPORT __attribute__((visibility("default")))
#endif

// Marks a function whose result points into the object that it is called on.
// Clang warns where the result would outlive that object.
#if defined(__cplusplus) && defined(__has_cpp_attribute)
#if __has_cpp_attribute(clang::lifetimebound)
#define HEADRACE_LIFETIME_BOUND [[clang::lifetimebound]]
#endif
#endif
#ifndef HEADRACE_LIFETIME_BOUND
#define HEADRACE_LIFETIME_BOUND
#endif

#endif  // HEADRACE_EXPORT_H_
