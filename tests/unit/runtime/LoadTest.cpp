//===- LoadTest.cpp - What is tested when a model is loaded ---------------===//

#include "ModelFixture.h"

#include "XXH64.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;

namespace {

std::vector<unsigned char> pattern(size_t size) {
  std::vector<unsigned char> bytes(size);
  for (size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<unsigned char>(i * 7 + 3);
  return bytes;
}

TEST(Load, XXH64) {
  // From xxhsum's XXH64 of pattern(size).
  const std::pair<size_t, uint64_t> expected[] = {
      {0, 0xef46db3751d8e999},   {1, 0x1f25c8d0bc1f4bb6},
      {3, 0x31d2363f52e564c9},   {4, 0x9bb64b7d66ee9fda},
      {7, 0x9a7b149959ce60d8},   {8, 0xdab99d95c6f90092},
      {15, 0x1b47cb8243cc8e32},  {31, 0xa2aa5f33cc4a6119},
      {32, 0x23c3c17ef790fd97},  {33, 0x50a7cfc7ba588784},
      {63, 0x5e3e54b431c7493c},  {100, 0xa61f8d4c170fe531},
      {4096, 0x796398cd432797cc}};
  for (auto [size, hash] : expected)
    EXPECT_EQ(ampc::rt::xxh64(pattern(size).data(), size), hash) << size;
  // In pieces of every size.
  std::vector<unsigned char> bytes = pattern(4096);
  for (size_t piece = 1; piece < 70; ++piece) {
    ampc::rt::XXH64 state;
    for (size_t at = 0; at < bytes.size(); at += piece)
      state.add(bytes.data() + at, std::min(piece, bytes.size() - at));
    EXPECT_EQ(state.digest(), 0x796398cd432797cc) << piece;
  }
}

TEST(Load, KnownFeaturesOfThisMachine) {
  LoadedModel model(FEATURES_MODEL);
  EXPECT_EQ(model.status, AMPC_OK) << model.text;
}

TEST(Load, MissingFeature) {
  LoadedModel model(NO_SUCH_FEATURE_MODEL);
  EXPECT_EQ(model.status, AMPC_UNSUPPORTED_CPU);
  EXPECT_EQ(model.model, nullptr);
  EXPECT_STREQ(model.text, "the model needs the CPU feature \"telepathy\", "
                           "which is unknown on this architecture (it needs: "
                           "sse2,+telepathy)");
  // What the model is can be asked all the same.
  EXPECT_STREQ(model.api->name(model.api), "calc");
}

TEST(Load, FeatureOfOtherMachines) {
  LoadedModel model(LACKING_FEATURE_MODEL);
  EXPECT_EQ(model.status, AMPC_UNSUPPORTED_CPU);
  EXPECT_NE(std::string(model.text).find("\"xop\", which this machine lacks"),
            std::string::npos)
      << model.text;
}

TEST(Load, OtherAbiVersion) {
  LoadedModel model(OTHER_ABI_MODEL);
  EXPECT_EQ(model.status, AMPC_INCOMPATIBLE);
  EXPECT_NE(std::string(model.text)
                .find("model \"calc\" was generated for "
                      "version 77"),
            std::string::npos)
      << model.text;
}

TEST(Load, NotAModel) {
  ampc_library library;
  char message[512];
  EXPECT_FALSE(ampc_library_open("./no-such-model.so", &library, message,
                                 sizeof(message)));
  EXPECT_NE(std::string(message).find("no-such-model.so"), std::string::npos);
  EXPECT_FALSE(
      ampc_library_open("libm.so.6", &library, message, sizeof(message)));
  EXPECT_STREQ(message, "libm.so.6: not a model compiled by ampc (no "
                        "ampc_entry_v1)");
  EXPECT_EQ(library.handle, nullptr);
}

/// A folder with the library of WEIGHTS_MODEL and, perhaps, its weights.
class Weights : public ::testing::Test {
protected:
  Weights() {
    std::string name = (fs::temp_directory_path() / "ampc-weights-XXXXXX");
    folder = mkdtemp(name.data());
    library = folder / "model.so";
    fs::copy_file(WEIGHTS_MODEL, library);
    write(pattern(4096));
  }
  ~Weights() override { fs::remove_all(folder); }

  void write(const std::vector<unsigned char> &bytes) {
    std::ofstream file(folder / "calc.weights", std::ios::binary);
    file.write(reinterpret_cast<const char *>(bytes.data()),
               std::streamsize(bytes.size()));
  }

  /// The weights were found and reach the model: 3, the first byte, is added.
  void expectRuns(LoadedModel &loaded) {
    ASSERT_EQ(loaded.status, AMPC_OK) << loaded.text;
    ampc_context *context = loaded.newContext();
    CalcInputs inputs(1);
    ASSERT_EQ(loaded.api->run(context, inputs.pointers, 4, nullptr, 0),
              AMPC_OK);
    DLTensor sum;
    ASSERT_EQ(loaded.api->output(context, 0, &sum), AMPC_OK);
    EXPECT_EQ(static_cast<float *>(sum.data)[1], (1 + 100 + 3) * 2);
    loaded.api->context_destroy(context);
  }

  void expectRefused(const std::string &part) {
    LoadedModel loaded(library.string());
    EXPECT_EQ(loaded.status, AMPC_BAD_WEIGHTS);
    EXPECT_NE(std::string(loaded.text).find(part), std::string::npos)
        << loaded.text;
    EXPECT_NE(std::string(loaded.text).find("calc.weights"), std::string::npos)
        << loaded.text;
  }

  fs::path folder, library;
};

TEST_F(Weights, BesideTheLibrary) {
  LoadedModel loaded(library.string());
  expectRuns(loaded);
}

TEST_F(Weights, AfterTheFolderMoved) {
  fs::path moved = folder.string() + " moved";
  fs::rename(folder, moved);
  folder = moved;
  {
    LoadedModel loaded((moved / "model.so").string());
    expectRuns(loaded);
  }
}

TEST_F(Weights, RelativePathAndAnotherWorkingDirectory) {
  fs::path before = fs::current_path();
  fs::current_path(folder);
  ampc_library opened;
  char text[512] = "";
  int ok = ampc_library_open("./model.so", &opened, text, sizeof(text));
  fs::current_path(before);
  ASSERT_TRUE(ok) << text;
  ampc_model *model;
  EXPECT_EQ(
      opened.api->model_create(opened.api, nullptr, &model, text, sizeof(text)),
      AMPC_OK)
      << text;
  opened.api->model_destroy(model);
  ampc_library_close(&opened);
}

TEST_F(Weights, ThroughASymbolicLink) {
  // The folder is that of the name the library was opened by.
  fs::create_directory(folder / "links");
  fs::create_symlink(library, folder / "links" / "model.so");
  fs::create_symlink(folder / "calc.weights",
                     folder / "links" / "calc.weights");
  LoadedModel loaded((folder / "links" / "model.so").string());
  expectRuns(loaded);
}

TEST_F(Weights, Missing) {
  fs::remove(folder / "calc.weights");
  expectRefused("No such file or directory");
}

TEST_F(Weights, LibraryMovedAlone) {
  fs::create_directory(folder / "elsewhere");
  fs::rename(library, folder / "elsewhere" / "model.so");
  library = folder / "elsewhere" / "model.so";
  expectRefused("/elsewhere/calc.weights: No such file");
  // Unless the caller says where they are.
  LoadedModel loaded(library.string());
  ampc_model_options options = {sizeof(options), folder.c_str(), 0};
  loaded.status = loaded.api->model_create(loaded.api, &options, &loaded.model,
                                           loaded.text, sizeof(loaded.text));
  expectRuns(loaded);
}

TEST_F(Weights, WrongContent) {
  std::vector<unsigned char> bytes = pattern(4096);
  bytes[4000] ^= 1;
  write(bytes);
  expectRefused("expected 796398cd432797cc");
  // The hash can be waived, the size cannot.
  LoadedModel loaded(library.string());
  ampc_model_options options = {sizeof(options), nullptr, AMPC_TRUST_WEIGHTS};
  loaded.status = loaded.api->model_create(loaded.api, &options, &loaded.model,
                                           loaded.text, sizeof(loaded.text));
  expectRuns(loaded);
}

TEST_F(Weights, WrongSize) {
  write(pattern(4095));
  expectRefused("has 4095 bytes, expected 4096");
  write({});
  expectRefused("has 0 bytes, expected 4096");
}

TEST_F(Weights, NotAFile) {
  fs::remove(folder / "calc.weights");
  fs::create_directory(folder / "calc.weights");
  expectRefused("not a regular file");
}

} // namespace
