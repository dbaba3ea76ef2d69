// Deprecated options and verbs, planted in a program: warnings and help.

#include "src/cli/text/deprecation.h"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/cli/text/verb_help.h"

namespace headrace::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr Deprecation kPlanted[] = {
    {.verb = "head",
     .option = "--old",
     .removed_in = "0.3.0",
     .instead = "--new"},
    {.verb = "head",
     .option = "--flag",
     .removed_in = "0.4.0",
     .instead = "--new=2"},
    {.verb = "peek", .option = "", .removed_in = "0.3.0", .instead = "head"},
};

class DeprecationTest : public testing::Test {
 protected:
  DeprecationTest() {
    SetHelpFormat(&program_);
    CLI::App* const head = program_.add_subcommand("head", "Show records");
    head->add_option("-o,--old", old_, "Rows");
    head->add_option("--new", new_, "Rows to show");
    head->add_flag("--flag", flag_, "Two rows");
    program_.add_subcommand("peek", "Show a record");
    DescribeDeprecations(kPlanted, &program_);
  }

  std::vector<std::string> Warnings(const std::string& arguments) {
    program_.parse(arguments);
    return DeprecationWarnings(kPlanted, program_);
  }

  CLI::App program_;
  int old_ = 0;
  int new_ = 0;
  bool flag_ = false;
};

TEST_F(DeprecationTest, AnOption) {
  EXPECT_THAT(Warnings("head --old 3"),
              ElementsAre("warning: --old is deprecated and will be removed in "
                          "headrace 0.3.0; use --new"));
  EXPECT_EQ(old_, 3);  // it still works
}

TEST_F(DeprecationTest, AnOptionByItsShortName) {
  EXPECT_THAT(Warnings("head -o 3"), ElementsAre(HasSubstr("--old is")));
}

TEST_F(DeprecationTest, AFlagAndAnOption) {
  EXPECT_THAT(
      Warnings("head --flag --old=3"),
      ElementsAre(HasSubstr("--old is"), HasSubstr("0.4.0; use --new=2")));
}

TEST_F(DeprecationTest, AVerb) {
  EXPECT_THAT(Warnings("peek"),
              ElementsAre("warning: peek is deprecated and will be removed in "
                          "headrace 0.3.0; use head"));
}

TEST_F(DeprecationTest, NothingDeprecated) {
  EXPECT_THAT(Warnings("head --new 3"), IsEmpty());
  EXPECT_THAT(Warnings(""), IsEmpty());
}

TEST_F(DeprecationTest, HelpSaysSo) {
  const std::string help = program_.get_subcommand("head")->help();
  EXPECT_THAT(help, HasSubstr("Rows (deprecated: use --new)\n"));
  EXPECT_THAT(help, HasSubstr("Two rows (deprecated: use --new=2)\n"));
  EXPECT_THAT(help, Not(HasSubstr("Rows to show (")));
  EXPECT_THAT(program_.help(),
              HasSubstr("Show a record (deprecated: use head)\n"));
}

TEST_F(DeprecationTest, ARowOfNothing) {
  const Deprecation unknown[] = {{"head", "--none", "0.3.0", "--new"}};
  EXPECT_THROW(DescribeDeprecations(unknown, &program_), CLI::OptionNotFound);
  const Deprecation no_verb[] = {{"tail", "", "0.3.0", "head"}};
  EXPECT_THROW(DescribeDeprecations(no_verb, &program_), CLI::OptionNotFound);
}

}  // namespace
}  // namespace headrace::cli
