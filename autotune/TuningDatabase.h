//===- TuningDatabase.h - Measurements that outlive a process ---*- C++ -*-===//
//
// A SQLite file. What is recorded together is one transaction, so that a crash,
// a full disk or another process costs at most what was not recorded yet, and
// any number of processes may share a file. The rules for measurements of one
// schedule that come together (`better`) do not depend on their order.
//
//===----------------------------------------------------------------------===//

#ifndef AMPC_AUTOTUNE_TUNINGDATABASE_H
#define AMPC_AUTOTUNE_TUNINGDATABASE_H

#include "autotune/Measurement.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

struct sqlite3;

namespace ampc::tune {

/// The machine that kernels run on.
struct MachineKey {
  std::string cpu;      ///< The processor's model.
  std::string features; ///< Instruction sets that code may use.
  int64_t emitter = 0;  ///< cpu::kEmitterVersion.
};

/// The name of a kernel's text: 128 bits of its SHA-256, as hexadecimal digits.
std::string hashOf(llvm::StringRef kernel);

class TuningDatabase {
public:
  enum class Access {
    Existing, ///< To be there; may be read-only.
    Create    ///< Made if it is not there.
  };

  /// Opens `path`, which is refused unless it is a whole tuning database of
  /// this version. Whatever needs the file waits for others for `patience`
  /// seconds. All errors are one line, with the path.
  static llvm::Expected<TuningDatabase>
  open(llvm::StringRef path, Access access, double patience = 30);
  TuningDatabase(TuningDatabase &&other);
  ~TuningDatabase();

  /// What is known of a kernel, by its text, sorted by schedule.
  llvm::Expected<std::vector<Measurement>> find(const MachineKey &machine,
                                                llvm::StringRef kernel) const;

  /// Adds to what is known of a kernel. After an error nothing was added.
  llvm::Error record(const MachineKey &machine, llvm::StringRef kernel,
                     llvm::ArrayRef<Measurement> measurements);

  /// Adds all that `other` knows, or nothing.
  llvm::Error merge(const TuningDatabase &other);

  using Visitor = llvm::function_ref<llvm::Error(
      const MachineKey &, llvm::StringRef kernel, llvm::ArrayRef<Measurement>)>;
  /// Visits all kernels, in an order that depends on the content alone. Stops
  /// at an error.
  llvm::Error visit(Visitor visitor) const;

  llvm::StringRef path() const { return file; }

private:
  class Statement;
  TuningDatabase(llvm::StringRef path) : file(path) {}
  llvm::Error failure(int code) const;
  llvm::Error refuse(const llvm::Twine &why) const;
  llvm::Error execute(const char *sql);
  llvm::Expected<int64_t> number(const char *sql) const;
  llvm::Error create();
  llvm::Error verify() const;
  llvm::Error transact(llvm::function_ref<llvm::Error()> body);
  llvm::Error add(const MachineKey &machine, llvm::StringRef kernel,
                  llvm::ArrayRef<Measurement> measurements);

  std::string file;
  sqlite3 *handle = nullptr;
};

} // namespace ampc::tune

#endif // AMPC_AUTOTUNE_TUNINGDATABASE_H
