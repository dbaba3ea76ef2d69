// HEADRACE_EXPORT marks the symbols that a shared libheadrace exports; all
// others are hidden (docs/abi.md). HEADRACE_DEPRECATED marks what a later
// version removes (docs/stability.md). C and C++ may include this.

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

// Marks a declaration that version `removed_in` no longer has, and names what
// replaces it: HEADRACE_DEPRECATED("0.3.0", "Reader::Next()"). Compilers warn
// where it is used. It stands before HEADRACE_EXPORT, after the word `class` or
// `struct`, and after the name of an enumerator.
#define HEADRACE_DEPRECATED_TEXT(removed_in, instead) \
  "it will be removed in headrace " removed_in "; use " instead
#if defined(_MSC_VER) && !defined(__clang__)
#define HEADRACE_DEPRECATED(removed_in, instead) \
  __declspec(deprecated(HEADRACE_DEPRECATED_TEXT(removed_in, instead)))
#elif defined(__cplusplus) && __cplusplus >= 201103L
#define HEADRACE_DEPRECATED(removed_in, instead) \
  [[gnu::deprecated(HEADRACE_DEPRECATED_TEXT(removed_in, instead))]]
#else
#define HEADRACE_DEPRECATED(removed_in, instead) \
  __attribute__((deprecated(HEADRACE_DEPRECATED_TEXT(removed_in, instead))))
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
