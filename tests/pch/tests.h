// What most test programs include, compiled once for each of them.
#ifndef HEADRACE_TESTS_PCH_TESTS_H_
#define HEADRACE_TESTS_PCH_TESTS_H_

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "headrace/decoder.h"
#include "headrace/reader.h"
#include "headrace/schema.h"
#include "tests/support/matchers.h"

#endif  // HEADRACE_TESTS_PCH_TESTS_H_
