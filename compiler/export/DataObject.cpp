//===- DataObject.cpp - Large read-only data as an object file ------------===//
//
// Layout: header, data, symbol table, string tables, section headers. All
// sizes are known beforehand, so the file is written front to back.
//
//===----------------------------------------------------------------------===//

#include "compiler/export/DataObject.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <string>

using namespace llvm;
using namespace llvm::ELF;

static_assert(llvm::endianness::native == llvm::endianness::little,
              "headers are written as they lie in memory");

namespace {
/// A string table under construction.
struct StringTable {
  std::string text = std::string(1, '\0');
  uint32_t add(StringRef name) {
    uint32_t offset = text.size();
    text.append(name.begin(), name.end());
    text.push_back('\0');
    return offset;
  }
};
} // namespace

template <typename T> static void put(raw_ostream &stream, const T &value) {
  stream.write(reinterpret_cast<const char *>(&value), sizeof(T));
}

/// Without `writeContent`, a section that only reserves addresses.
static void writeObject(raw_ostream &stream, StringRef symbol, uint64_t size,
                        function_ref<void(raw_ostream &)> writeContent) {
  enum { Null, Data, Symbols, Names, SectionNames, NoStack, Note, Most };
  const unsigned count = writeContent ? Note : Most;
  struct {
    Elf64_Nhdr header = {sizeof("ampc"), 0, 1};
    char name[8] = "ampc";
  } note;

  StringTable names, sectionNames;
  Elf64_Sym symbols[2] = {};
  symbols[1].st_name = names.add(symbol);
  symbols[1].setBindingAndType(STB_GLOBAL, STT_OBJECT);
  symbols[1].st_other = STV_HIDDEN;
  symbols[1].st_shndx = Data;
  symbols[1].st_size = size;

  Elf64_Shdr sections[Most] = {};
  auto section = [&](unsigned index, StringRef name, uint32_t type,
                     uint64_t flags, uint64_t align,
                     uint64_t bytes) -> Elf64_Shdr & {
    Elf64_Shdr &header = sections[index];
    header.sh_name = sectionNames.add(name);
    header.sh_type = type;
    header.sh_flags = flags;
    header.sh_addralign = align;
    header.sh_size = bytes;
    return header;
  };
  if (writeContent)
    section(Data, ".lrodata", SHT_PROGBITS, SHF_ALLOC | SHF_X86_64_LARGE, 64,
            size);
  else // Writable ones come last, where addresses behind them do not count.
    section(Data, ampc::reservedSection, SHT_NOBITS,
            SHF_ALLOC | SHF_WRITE | SHF_X86_64_LARGE, 4096, size);
  Elf64_Shdr &table =
      section(Symbols, ".symtab", SHT_SYMTAB, 0, 8, sizeof(symbols));
  table.sh_entsize = sizeof(Elf64_Sym);
  table.sh_link = Names;
  table.sh_info = 1; // The first symbol that is not local.
  section(Names, ".strtab", SHT_STRTAB, 0, 1, names.text.size());
  section(NoStack, ".note.GNU-stack", SHT_PROGBITS, 0, 1, 0);
  if (!writeContent) // Aligned unlike others, hence a segment of its own.
    section(Note, ampc::reservedNote, SHT_NOTE, SHF_ALLOC, 8, sizeof(note));
  section(SectionNames, ".shstrtab", SHT_STRTAB, 0, 1, 0);
  sections[SectionNames].sh_size = sectionNames.text.size();

  uint64_t offset = sizeof(Elf64_Ehdr);
  for (unsigned index = Data; index < count; ++index) {
    bool hasContent = sections[index].sh_type != SHT_NOBITS;
    if (hasContent)
      offset = alignTo(offset, sections[index].sh_addralign);
    sections[index].sh_offset = offset;
    if (hasContent)
      offset += sections[index].sh_size;
  }
  uint64_t headers = alignTo(offset, 8);

  Elf64_Ehdr header = {};
  memcpy(header.e_ident, ElfMagic, 4);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_ident[EI_OSABI] = ELFOSABI_NONE;
  header.e_type = ET_REL;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_shoff = headers;
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = count;
  header.e_shstrndx = SectionNames;

  uint64_t start = stream.tell();
  auto padTo = [&](uint64_t position) {
    stream.write_zeros(position - (stream.tell() - start));
  };
  put(stream, header);
  padTo(sections[Data].sh_offset);
  if (writeContent)
    writeContent(stream);
  padTo(sections[Symbols].sh_offset);
  put(stream, symbols);
  padTo(sections[Names].sh_offset);
  stream << names.text;
  padTo(sections[SectionNames].sh_offset);
  stream << sectionNames.text;
  if (!writeContent) {
    padTo(sections[Note].sh_offset);
    put(stream, note);
  }
  padTo(headers);
  stream.write(reinterpret_cast<const char *>(sections),
               count * sizeof(*sections));
}

void ampc::writeDataObject(raw_ostream &stream, StringRef symbol, uint64_t size,
                           function_ref<void(raw_ostream &)> writeContent) {
  writeObject(stream, symbol, size, writeContent);
}

void ampc::writeReservation(raw_ostream &stream, StringRef symbol,
                            uint64_t size) {
  writeObject(stream, symbol, size, nullptr);
}
