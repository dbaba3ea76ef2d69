// Folders on disk: versions, configs, missing and foreign files, labels.

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "headrace/tfds.h"
#include "src/tfds/folder/metadata.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLabelFeatures = R"({
  "pythonClassName": "FeaturesDict", "featuresDict": {"features": {
    "label": {"pythonClassName": "ClassLabel",
              "classLabel": {"numClasses": "2"}}}}})";

void WriteFile(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

std::string InfoJson(std::string_view split_fields) {
  return R"({"name": "d", "version": "1.0.0", "splits": [{"name": "train")" +
         std::string(split_fields) + "}]}";
}

std::string Template(std::string_view text) {
  return R"(, "shardLengths": ["3"], "filepathTemplate": ")" +
         std::string(text) + "\"";
}

class TfdsFolderTest : public ::testing::Test {
 protected:
  // Writes a dataset into a folder of this name.
  fs::path Write(const std::string& name, std::string_view info,
                 std::string_view features = kLabelFeatures) {
    const fs::path path = root() / name;
    WriteFile(path / "dataset_info.json", info);
    WriteFile(path / "features.json", features);
    return path;
  }
  fs::path root() const { return folder_.path(); }

  // Opens the folder and selects its one split.
  Result<std::vector<tfds::Slice>> SelectTrain(
      const fs::path& path, const tfds::FolderOptions& options = {}) {
    const Result<tfds::Info> info = tfds::OpenFolder(path, options);
    if (!info.ok()) return info.status();
    return Select(*info, "train", options);
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(TfdsFolderTest, HighestVersion) {
  const std::string info = InfoJson(R"(, "shardLengths": [])");
  for (const char* const version : {"1.9.0", "1.10.0", "1.2.0", "x"}) {
    Write(version, info);
  }
  fs::create_directories(root() / "2.0.0");  // was not finished
  WriteFile(root() / "3.0.0", "");
  const auto opened = tfds::OpenFolder(root());
  ASSERT_THAT(opened, IsOk());
  EXPECT_EQ(opened->folder, root() / "1.10.0");
  EXPECT_TRUE(tfds::IsFolder(root()));
}

TEST_F(TfdsFolderTest, ConfigsAreListed) {
  const std::string info = InfoJson(R"(, "shardLengths": [])");
  Write("en/1.0.0", info);
  Write("de/1.0.0", info);
  fs::create_directories(root() / "other");
  EXPECT_THAT(tfds::OpenFolder(root()),
              IsError(ErrorCode::kInvalidArgument,
                      {.file = root(), .text = "\"de\", \"en\" (D1)"}));
  EXPECT_TRUE(tfds::IsFolder(root()));
  EXPECT_THAT(tfds::OpenFolder(root() / "en"), IsOk());
}

TEST_F(TfdsFolderTest, NoFolder) {
  EXPECT_THAT(tfds::OpenFolder(root() / "none"), HasCode(ErrorCode::kNotFound));
  EXPECT_THAT(tfds::OpenFolder(root()),
              IsError(ErrorCode::kNotFound, {.text = "no dataset_info.json"}));
  EXPECT_FALSE(tfds::IsFolder(root()));
  EXPECT_FALSE(tfds::IsFolder(root() / "none"));
}

TEST_F(TfdsFolderTest, NoFeatures) {
  WriteFile(root() / "dataset_info.json", InfoJson(""));
  fs::remove(root() / "features.json");
  EXPECT_THAT(tfds::OpenFolder(root()), HasCode(ErrorCode::kBadSpec));
  WriteFile(root() / "dataset_info.json", R"({"name": "d"})");
  EXPECT_THAT(tfds::OpenFolder(root()),
              IsError(ErrorCode::kBadSpec, {.file = root() / "features.json",
                                            .text = "before 4.0"}));
}

TEST_F(TfdsFolderTest, PipesAreNoMetadata) {
  Write("d", InfoJson(""));
  fs::remove(root() / "d/features.json");
  ASSERT_EQ(mkfifo((root() / "d/features.json").c_str(), 0600), 0);
  WriteFile(root() / "d/dataset_info.json", R"({"name": "d"})");
  EXPECT_THAT(tfds::OpenFolder(root() / "d"),
              IsError(ErrorCode::kBadSpec, {.text = "not a regular file"}));
}

TEST_F(TfdsFolderTest, BadInfo) {
  const std::pair<std::string, const char*> cases[] = {
      {"[]", "it is a list, not an object"},
      {"{", "line 1, column 2"},
      {R"({"fileFormat": "array_record"})", "in the format \"array_record\""},
      {R"({"splits": {}})", "\"splits\" is an object, not a list"},
      {R"({"splits": [7]})", "a split is 7"},
      {R"({"splits": [{}]})", "\"name\" is missing"},
      {InfoJson(""), "no \"shardLengths\""},
      {InfoJson(R"(, "shardLengths": ["-1"])"), "is \"-1\", not a number"},
      {InfoJson(R"(, "shardLengths": [1.5])"), "is 1.5, not a number"},
      {InfoJson(R"(, "shardLengths": [9223372036854775807, 1])"), "is 2^63"},
      {InfoJson(R"(, "shardLengths": [], "numBytes": "-1")"), "negative"},
      {InfoJson(Template("{SHARD}")), "has an unknown word, \"SHARD\""},
      {InfoJson(Template("{WORD}")),
       "an unknown word, \"WORD\"; the words are \"DATASET\", \"SPLIT\""},
      {InfoJson(Template("{SPLIT")), "not closed"},
      {InfoJson(Template(std::string(500, 'x'))), "longer than 400 bytes"},
      {InfoJson(Template("x\\u0000y")), "a zero byte"},
      {InfoJson(R"(, "shardLengths": [1, 1], "filepathTemplate": "x")"),
       "its 2 files all have the name \"x\""},
      {R"({"splits": [{"name": "a", "shardLengths": []},
                      {"name": "a", "shardLengths": []}]})",
       "it is listed twice"},
  };
  for (const auto& [info, text] : cases) {
    Write("d", info);
    EXPECT_THAT(tfds::OpenFolder(root() / "d"),
                IsError(ErrorCode::kBadSpec,
                        {.file = root() / "d/dataset_info.json", .text = text}))
        << info;
  }
}

TEST_F(TfdsFolderTest, TooLarge) {
  Write("d", std::string((size_t{16} << 20) + 1, ' '));
  EXPECT_THAT(tfds::OpenFolder(root() / "d"),
              IsError(ErrorCode::kBadSpec, {.text = "more than 16 MiB"}));
}

TEST_F(TfdsFolderTest, NamesOfFiles) {
  const auto names = [](std::string_view info) {
    return OrThrow(tfds::ParseInfo(info, kLabelFeatures)).splits[0].files;
  };
  EXPECT_THAT(names(InfoJson(R"(, "shard_lengths": [1, "2"])")),
              ElementsAre("d-train.tfrecord-00000-of-00002",
                          "d-train.tfrecord-00001-of-00002"));
  EXPECT_THAT(names(InfoJson(
                  Template("{SPLIT}/{SHARD_INDEX}.{NUM_SHARDS}.{FILEFORMAT}"))),
              ElementsAre("train/00000.00001.tfrecord"));
}

TEST_F(TfdsFolderTest, MissingFiles) {
  const fs::path path =
      Write("d", InfoJson(R"(, "shardLengths": ["3", "1", "2"])"));
  WriteFile(path / "d-train.tfrecord-00001-of-00003", "");
  fs::create_directories(path / "d-train.tfrecord-00002-of-00003");
  EXPECT_THAT(
      SelectTrain(path),
      IsError(
          ErrorCode::kNotFound,
          {.file = path / "d-train.tfrecord-00000-of-00003",
           .text =
               "2 of 3 files are missing; the first is of split \"train\""}));
  const tfds::Info info = OrThrow(tfds::OpenFolder(path));
  EXPECT_THAT(Select(info, "train[1shard]"), IsOkAndHolds(SizeIs(1)));
}

TEST_F(TfdsFolderTest, FilesOutside) {
  WriteFile(root() / "secret", "");
  WriteFile(root() / "elsewhere/x", "");
  const fs::path path = root() / "d";
  fs::create_directories(path / "inside");
  WriteFile(path / "inside/x", "");
  fs::create_symlink(root() / "secret", path / "link");
  fs::create_symlink("inside/x", path / "link_inside");
  fs::create_symlink("../elsewhere", path / "folder_link");
  const std::string absolute = root() / "secret";
  for (const std::string& name :
       {std::string("../secret"), std::string("inside/../../secret"), absolute,
        std::string("link"), std::string("folder_link/x")}) {
    SCOPED_TRACE(name);
    Write("d", InfoJson(Template(name)));
    EXPECT_THAT(SelectTrain(path), IsError(ErrorCode::kInvalidArgument,
                                           {.text = "outside of the folder"}));
    EXPECT_THAT(SelectTrain(path, {.outside_files = true}),
                IsOkAndHolds(SizeIs(1)));
  }
  for (const char* const name : {"inside/x", "link_inside", "./inside/x"}) {
    Write("d", InfoJson(Template(name)));
    EXPECT_THAT(SelectTrain(path), IsOkAndHolds(SizeIs(1))) << name;
  }
  // The folder itself may be reached by a link.
  fs::create_symlink(path, root() / "way");
  EXPECT_THAT(SelectTrain(root() / "way"), IsOkAndHolds(SizeIs(1)));
}

TEST_F(TfdsFolderTest, NamesAreNoWayOut) {
  WriteFile(root() / "x.tfrecord-00000-of-00001", "");
  const fs::path path = Write("d", R"({"name": "../x", "splits": [{"name": "s",
               "shardLengths": [1], "filepathTemplate":
               "{DATASET}.{FILEFORMAT}-{SHARD_X_OF_Y}"}]})");
  const tfds::Info info = OrThrow(tfds::OpenFolder(path));
  EXPECT_THAT(Select(info, "s"), HasCode(ErrorCode::kInvalidArgument));
}

TEST_F(TfdsFolderTest, Labels) {
  const fs::path path = Write("d", R"({"name": "d"})");
  WriteFile(path / "label.labels.txt", "\n  cat\t\r\n\n\nbig dog");
  const tfds::Info info = OrThrow(tfds::OpenFolder(path));
  EXPECT_THAT(info.features.children[0].label_names,
              ElementsAre("cat", "big dog"));
  EXPECT_EQ(ToTree(info.features),
            "FeaturesDict\n"
            "  label: ClassLabel int64, 2 classes: cat, big dog\n");
}

TEST_F(TfdsFolderTest, LabelsThatDoNotFit) {
  const std::pair<const char*, const char*> cases[] = {
      {"one", "has 1 names, but there are 2 classes"},
      {"\xff\n\xfe", "are not UTF-8"},
  };
  for (const auto& [text, problem] : cases) {
    const fs::path path = Write("d", R"({"name": "d"})");
    WriteFile(path / "label.labels.txt", text);
    const tfds::Info info = OrThrow(tfds::OpenFolder(path));
    EXPECT_THAT(Choose(info), IsError(ErrorCode::kBadSpec,
                                      {.feature = "label", .text = problem}));
  }
}

TEST_F(TfdsFolderTest, LabelsThatCannotBeRead) {
  const fs::path path = Write("d", InfoJson(R"(, "shardLengths": [])"));
  const fs::path labels = path / "label.labels.txt";
  ASSERT_EQ(mkfifo(labels.c_str(), 0600), 0);
  EXPECT_THAT(tfds::OpenFolder(path),
              IsError(ErrorCode::kIo, {.file = labels.string()}));
  fs::remove(labels);
  fs::create_symlink("away", labels);
  EXPECT_THAT(tfds::OpenFolder(path),
              IsError(ErrorCode::kNotFound, {.file = labels.string()}));
}

TEST_F(TfdsFolderTest, LabelsOutside) {
  const fs::path path = Write("d", R"({"name": "d"})");
  WriteFile(root() / "names", "a\nb");
  fs::create_symlink("../names", path / "label.labels.txt");
  EXPECT_THAT(
      tfds::OpenFolder(path),
      IsError(ErrorCode::kInvalidArgument, {.text = "outside of the folder"}));
  EXPECT_THAT(tfds::OpenFolder(path, {.outside_files = true}), IsOk());
}

TEST(LabelFileNameTest, Slashes) {
  EXPECT_EQ(tfds::LabelFileName({"a", "b/c", ".."}), "a-b.c-...labels.txt");
}

}  // namespace
}  // namespace headrace::testing
