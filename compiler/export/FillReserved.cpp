//===- FillReserved.cpp - Data behind a linked library --------------------===//

#include "compiler/export/FillReserved.h"

#include "compiler/export/DataObject.h"

#include "llvm/Object/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace llvm::ELF;
using namespace llvm::object;

namespace {
/// A header, and where it lies in the file.
template <typename T> struct Header {
  uint64_t at;
  T value;
};

struct Reservation {
  uint64_t fileSize;
  Header<ELF64LE::Shdr> section;
  /// The last segment, whose end the section is, and that of the note.
  Header<ELF64LE::Phdr> last, note;
};
} // namespace

static Expected<Reservation> findReservation(StringRef bytes) {
  auto file = ELFFile<ELF64LE>::create(bytes);
  if (!file)
    return file.takeError();
  auto sections = file->sections();
  if (!sections)
    return sections.takeError();
  auto segments = file->program_headers();
  if (!segments)
    return segments.takeError();
  auto header = [&](const auto &value) {
    return Header<std::decay_t<decltype(value)>>{
        uint64_t(reinterpret_cast<const char *>(&value) - bytes.data()), value};
  };
  const ELF64LE::Shdr *data = nullptr, *note = nullptr;
  for (const auto &section : *sections) {
    auto name = file->getSectionName(section);
    if (!name)
      return name.takeError();
    if (*name == ampc::reservedSection)
      data = &section;
    else if (*name == ampc::reservedNote)
      note = &section;
  }
  const ELF64LE::Phdr *last = nullptr, *spare = nullptr;
  for (const auto &segment : *segments) {
    if (segment.p_type == PT_LOAD)
      last = &segment;
    else if (note && segment.p_type == PT_NOTE &&
             segment.p_vaddr == note->sh_addr &&
             segment.p_memsz == note->sh_size)
      spare = &segment;
  }
  // Loaded segments are in the order of their addresses.
  if (!data || !last || !spare || spare < last ||
      data->sh_addr < last->p_vaddr + last->p_filesz ||
      data->sh_addr + data->sh_size != last->p_vaddr + last->p_memsz)
    return createStringError("the linker left no place for the weights");
  return Reservation{bytes.size(), header(*data), header(*last),
                     header(*spare)};
}

template <typename T>
static void put(raw_fd_ostream &stream, const Header<T> &header) {
  stream.seek(header.at);
  stream.write(reinterpret_cast<const char *>(&header.value), sizeof(T));
}

Error ampc::fillReserved(StringRef path,
                         function_ref<void(raw_ostream &)> writeContent) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError(buffer.getError().message());
  auto found = findReservation((*buffer)->getBuffer());
  buffer->reset();
  if (!found)
    return found.takeError();
  auto &section = found->section.value;
  auto &last = found->last.value, &own = found->note.value;

  // The section leaves the last segment, and the note's becomes its own.
  const uint64_t size = section.sh_size, address = section.sh_addr;
  last.p_memsz = address - last.p_vaddr;
  if (last.p_memsz == 0)
    last.p_type = PT_NULL;
  own.p_type = PT_LOAD;
  own.p_flags = PF_R;
  own.p_align = last.p_align;
  own.p_vaddr = address;
  own.p_paddr = address;
  own.p_memsz = size;
  own.p_filesz = size;
  // Offset and address agree modulo the size of a page.
  const uint64_t page = last.p_align;
  const uint64_t offset = alignTo(found->fileSize, page, address);
  own.p_offset = offset;
  section.sh_offset = offset;
  section.sh_type = SHT_PROGBITS;
  section.sh_flags = section.sh_flags & ~uint64_t(SHF_WRITE);

  std::error_code code;
  raw_fd_ostream stream(path, code, sys::fs::CD_OpenExisting, sys::fs::FA_Write,
                        sys::fs::OF_None);
  if (code)
    return createStringError(code.message());
  stream.seek(offset);
  writeContent(stream);
  if (!stream.has_error() && stream.tell() != offset + size)
    return createStringError("the weights have another size than reserved");
  put(stream, found->section);
  put(stream, found->last);
  put(stream, found->note);
  stream.close();
  if (stream.has_error()) {
    code = stream.error();
    stream.clear_error();
    return createStringError(code.message());
  }
  return Error::success();
}
