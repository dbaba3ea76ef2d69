#ifndef HEADRACE_VERSION_H_
#define HEADRACE_VERSION_H_

// The version of these headers; meson.build must have the same.
// HEADRACE_VERSION_NUMBER is one integer to compare:
// major * 10000 + minor * 100 + patch. A release candidate has the numbers of
// its release; only HEADRACE_VERSION_STRING ends with "rc1".
#define HEADRACE_VERSION_MAJOR 0
#define HEADRACE_VERSION_MINOR 1
#define HEADRACE_VERSION_PATCH 0
#define HEADRACE_VERSION_NUMBER 100
#define HEADRACE_VERSION_STRING "0.1.0rc1"

#endif  // HEADRACE_VERSION_H_
