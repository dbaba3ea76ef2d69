// What is slow to compile in every verb, compiled once.
#ifndef HEADRACE_SRC_CLI_PCH_CLI_H_
#define HEADRACE_SRC_CLI_PCH_CLI_H_

#include "CLI/CLI.hpp"

#endif  // HEADRACE_SRC_CLI_PCH_CLI_H_
