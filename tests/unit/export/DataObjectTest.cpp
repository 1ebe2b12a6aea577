//===- DataObjectTest.cpp - Object files of weights -----------------------===//

#include "compiler/export/DataObject.h"
#include "compiler/export/FillReserved.h"

#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace llvm::object;

namespace {

std::string objectOf(StringRef content) {
  std::string bytes;
  raw_string_ostream stream(bytes);
  ampc::writeDataObject(stream, "weights", content.size(),
                        [&](raw_ostream &out) { out << content; });
  return bytes;
}

std::unique_ptr<ELF64LEObjectFile> parse(StringRef bytes) {
  auto file = ObjectFile::createELFObjectFile(MemoryBufferRef(bytes, "test"));
  EXPECT_TRUE(bool(file)) << toString(file.takeError());
  return std::unique_ptr<ELF64LEObjectFile>(
      cast<ELF64LEObjectFile>(file->release()));
}

TEST(DataObject, HoldsOneHiddenSymbolInALargeSection) {
  std::string content = "the bytes of a weight";
  std::string bytes = objectOf(content);
  auto file = parse(bytes);
  const auto &elf = file->getELFFile();
  EXPECT_EQ(elf.getHeader().e_type, ELF::ET_REL);
  EXPECT_EQ(elf.getHeader().e_machine, ELF::EM_X86_64);

  unsigned symbols = 0;
  for (const ELFSymbolRef symbol : file->symbols()) {
    ++symbols;
    EXPECT_EQ(cantFail(symbol.getName()), "weights");
    EXPECT_EQ(symbol.getSize(), content.size());
    EXPECT_EQ(symbol.getBinding(), ELF::STB_GLOBAL);
    EXPECT_EQ(symbol.getELFType(), ELF::STT_OBJECT);
    EXPECT_EQ(symbol.getOther(), ELF::STV_HIDDEN);
    ELFSectionRef section(*cantFail(symbol.getSection()));
    EXPECT_EQ(cantFail(section.getName()), ".lrodata");
    EXPECT_EQ(section.getFlags(), ELF::SHF_ALLOC | ELF::SHF_X86_64_LARGE);
    EXPECT_EQ(section.getAlignment().value(), 64u);
    EXPECT_EQ(section.getOffset() % 64, 0u);
    EXPECT_EQ(cantFail(section.getContents()), content);
  }
  EXPECT_EQ(symbols, 1u);
}

TEST(DataObject, SaysThatItNeedsNoExecutableStack) {
  std::string bytes = objectOf("x");
  auto file = parse(bytes);
  bool found = false;
  for (const ELFSectionRef section : file->sections())
    if (cantFail(section.getName()) == ".note.GNU-stack") {
      found = true;
      EXPECT_EQ(section.getFlags() & ELF::SHF_EXECINSTR, 0u);
    }
  EXPECT_TRUE(found);
}

TEST(DataObject, MayBeEmpty) {
  std::string bytes = objectOf("");
  auto file = parse(bytes);
  for (const ELFSymbolRef symbol : file->symbols())
    EXPECT_EQ(symbol.getSize(), 0u);
}

TEST(DataObject, DoesNotMoveInAStreamThatHoldsMore) {
  std::string bytes = "before";
  raw_string_ostream stream(bytes);
  ampc::writeDataObject(stream, "weights", 3,
                        [](raw_ostream &out) { out << "abc"; });
  StringRef object = StringRef(stream.str()).drop_front(6);
  EXPECT_EQ(object, objectOf("abc"));
}

// What only reserves addresses has a note, whose segment it will get.
TEST(DataObject, ReservesWithoutContent) {
  std::string bytes;
  raw_string_ostream stream(bytes);
  constexpr uint64_t size = (uint64_t(5) << 30) + 3;
  ampc::writeReservation(stream, "weights", size);
  EXPECT_LT(bytes.size(), 2000u);
  auto file = parse(bytes);
  bool hasNote = false;
  for (const ELFSectionRef section : file->sections()) {
    StringRef name = cantFail(section.getName());
    if (name == ampc::reservedSection) {
      EXPECT_EQ(section.getType(), ELF::SHT_NOBITS);
      EXPECT_EQ(section.getSize(), size);
      EXPECT_EQ(section.getAlignment().value(), 4096u);
    }
    hasNote |= name == ampc::reservedNote && section.getType() == ELF::SHT_NOTE;
  }
  EXPECT_TRUE(hasNote);
}

TEST(FillReserved, WantsAPlace) {
  SmallString<128> path;
  int descriptor;
  ASSERT_FALSE(sys::fs::createTemporaryFile("library", "so", descriptor, path));
  FileRemover remover(path);
  raw_fd_ostream(descriptor, /*shouldClose=*/true) << objectOf("abc");
  std::string before = (*MemoryBuffer::getFile(path))->getBuffer().str();
  Error error = ampc::fillReserved(path, [](raw_ostream &out) { out << "x"; });
  EXPECT_EQ(toString(std::move(error)),
            "the linker left no place for the weights");
  EXPECT_EQ((*MemoryBuffer::getFile(path))->getBuffer(), before);
}

// Sizes beyond 32 bits: the content is a hole in a sparse file.
TEST(DataObject, MayExceedFourGigabytes) {
  constexpr uint64_t size = (uint64_t(5) << 30) + 3;
  SmallString<128> path;
  int descriptor;
  ASSERT_FALSE(sys::fs::createTemporaryFile("weights", "o", descriptor, path));
  FileRemover remover(path);
  {
    raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
    ampc::writeDataObject(stream, "weights", size, [](raw_ostream &out) {
      auto &file = static_cast<raw_fd_ostream &>(out);
      file << "first";
      file.seek(file.tell() + size - 10);
      file << "final";
    });
    ASSERT_FALSE(stream.has_error());
  }
  auto buffer = MemoryBuffer::getFile(path, false, false);
  ASSERT_TRUE(bool(buffer));
  auto file = parse((*buffer)->getBuffer());
  for (const ELFSymbolRef symbol : file->symbols()) {
    EXPECT_EQ(symbol.getSize(), size);
    ELFSectionRef section(*cantFail(symbol.getSection()));
    StringRef content = cantFail(section.getContents());
    EXPECT_EQ(content.size(), size);
    EXPECT_TRUE(content.starts_with("first"));
    EXPECT_TRUE(content.ends_with("final"));
  }
}

} // namespace
