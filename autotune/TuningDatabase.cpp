//===- TuningDatabase.cpp - Measurements that outlive a process -----------===//

#include "autotune/TuningDatabase.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SHA256.h"

#include <sqlite3.h>

using namespace llvm;
using namespace ampc::tune;

/// "ampc", by which `file` knows our databases too.
static constexpr int64_t kApplication = 0x616d7063;
static constexpr int64_t kVersion = 1;

/// The whole schema; a database with any other is not ours.
static const char *const kTables[] = {
    "CREATE TABLE kernel (hash TEXT PRIMARY KEY, text TEXT NOT NULL) "
    "WITHOUT ROWID",
    "CREATE TABLE measurement (cpu TEXT NOT NULL, features TEXT NOT NULL, "
    "emitter INTEGER NOT NULL, kernel TEXT NOT NULL REFERENCES kernel (hash), "
    "schedule TEXT NOT NULL, outcome TEXT NOT NULL, nanoseconds REAL NOT NULL, "
    "rounds INTEGER NOT NULL, "
    "PRIMARY KEY (cpu, features, emitter, kernel, schedule)) WITHOUT ROWID"};

std::string ampc::tune::hashOf(StringRef kernel) {
  auto digest = SHA256::hash(arrayRefFromStringRef(kernel));
  return toHex(ArrayRef(digest).take_front(16), /*LowerCase=*/true);
}

/// A prepared statement. Errors of binding and preparing come out of `step`.
class TuningDatabase::Statement {
public:
  Statement(const TuningDatabase &database, const char *sql)
      : database(database) {
    code = sqlite3_prepare_v2(database.handle, sql, -1, &statement, nullptr);
  }
  Statement(const Statement &) = delete;
  ~Statement() { sqlite3_finalize(statement); }

  Statement &bind(StringRef text) {
    return bound(sqlite3_bind_text64(statement, next++, text.data(),
                                     text.size(), SQLITE_TRANSIENT,
                                     SQLITE_UTF8));
  }
  Statement &bind(int64_t value) {
    return bound(sqlite3_bind_int64(statement, next++, value));
  }
  Statement &bind(double value) {
    return bound(sqlite3_bind_double(statement, next++, value));
  }

  /// Whether there is a row.
  Expected<bool> step() {
    if (code == SQLITE_OK)
      code = sqlite3_step(statement);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
      return database.failure(code);
    bool row = code == SQLITE_ROW;
    code = SQLITE_OK;
    return row;
  }
  /// For statements that give no rows.
  Error run() {
    Expected<bool> row = step();
    return row ? Error::success() : row.takeError();
  }

  std::string text(int column) {
    auto *start = sqlite3_column_text(statement, column);
    size_t size = sqlite3_column_bytes(statement, column);
    return start ? std::string(reinterpret_cast<const char *>(start), size)
                 : std::string();
  }
  int64_t integer(int column) {
    return sqlite3_column_int64(statement, column);
  }
  double real(int column) { return sqlite3_column_double(statement, column); }

  /// The columns schedule, outcome, nanoseconds, rounds, from `column` on.
  Expected<Measurement> measurement(int column) {
    std::optional<Outcome> outcome = outcomeNamed(text(column + 1));
    if (!outcome)
      return database.refuse("has an outcome that ampc does not know");
    return Measurement{text(column), *outcome, real(column + 2),
                       integer(column + 3)};
  }

private:
  Statement &bound(int result) {
    if (code == SQLITE_OK)
      code = result;
    return *this;
  }

  const TuningDatabase &database;
  sqlite3_stmt *statement = nullptr;
  int code, next = 1;
};

TuningDatabase::TuningDatabase(TuningDatabase &&other)
    : file(std::move(other.file)), handle(other.handle) {
  other.handle = nullptr;
}

TuningDatabase::~TuningDatabase() { sqlite3_close(handle); }

Error TuningDatabase::refuse(const Twine &why) const {
  return createStringError("tuning database '" + file + "' " + why);
}

Error TuningDatabase::failure(int code) const {
  switch (code & 0xff) {
  case SQLITE_NOTADB:
    return refuse("is no tuning database");
  case SQLITE_CORRUPT:
    return refuse("is damaged");
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return refuse("is locked by another process");
  case SQLITE_CANTOPEN:
    return refuse("cannot be opened: " +
                  std::generic_category().message(
                      handle ? sqlite3_system_errno(handle) : 0));
  case SQLITE_READONLY:
    return refuse("is read-only");
  case SQLITE_FULL:
    return refuse("cannot grow: the disk is full");
  }
  return refuse(Twine("cannot be used: ") + sqlite3_errstr(code));
}

Error TuningDatabase::execute(const char *sql) {
  return Statement(*this, sql).run();
}

Expected<int64_t> TuningDatabase::number(const char *sql) const {
  Statement statement(*this, sql);
  Expected<bool> row = statement.step();
  if (!row)
    return row.takeError();
  return *row ? statement.integer(0) : 0;
}

Error TuningDatabase::transact(function_ref<Error()> body) {
  // Writers wait for each other at the start and never in the middle.
  if (Error error = execute("BEGIN IMMEDIATE"))
    return error;
  Error error = body();
  if (!error)
    error = execute("COMMIT");
  if (error && !sqlite3_get_autocommit(handle))
    consumeError(execute("ROLLBACK"));
  return error;
}

/// Makes the tables, unless another process has.
Error TuningDatabase::create() {
  return transact([&]() -> Error {
    Expected<int64_t> objects = number("SELECT count(*) FROM sqlite_schema");
    if (!objects)
      return objects.takeError();
    if (*objects)
      return Error::success();
    for (const char *table : kTables)
      if (Error error = execute(table))
        return error;
    for (const std::string &pragma :
         {"PRAGMA application_id = " + std::to_string(kApplication),
          "PRAGMA user_version = " + std::to_string(kVersion)})
      if (Error error = execute(pragma.c_str()))
        return error;
    return Error::success();
  });
}

Error TuningDatabase::verify() const {
  Expected<int64_t> application = number("PRAGMA application_id");
  if (!application)
    return application.takeError();
  if (*application != kApplication)
    return refuse("is no tuning database");
  Expected<int64_t> version = number("PRAGMA user_version");
  if (!version)
    return version.takeError();
  if (*version != kVersion)
    return refuse("has version " + Twine(*version) + ", this ampc knows " +
                  Twine(kVersion));
  Statement schema(*this, "SELECT sql FROM sqlite_schema ORDER BY name");
  for (const char *table : kTables) {
    Expected<bool> row = schema.step();
    if (!row)
      return row.takeError();
    if (!*row || schema.text(0) != table)
      return refuse("has tables that are not ampc's");
  }
  Expected<bool> more = schema.step();
  if (!more)
    return more.takeError();
  if (*more)
    return refuse("has tables that are not ampc's");
  Statement check(*this, "PRAGMA integrity_check(1)");
  Expected<bool> row = check.step();
  if (!row)
    return row.takeError();
  return check.text(0) == "ok" ? Error::success() : refuse("is damaged");
}

Expected<TuningDatabase> TuningDatabase::open(StringRef path, Access access,
                                              double patience) {
  TuningDatabase database(path);
  const bool exists = sys::fs::exists(path);
  if (exists && !sys::fs::is_regular_file(path))
    return database.refuse("is no regular file");
  if (!exists && access == Access::Existing)
    return database.refuse("does not exist");
  // Without the right to write, SQLite opens for reading by itself.
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_EXRESCODE;
  if (access == Access::Create)
    flags |= SQLITE_OPEN_CREATE;
  if (int code = sqlite3_open_v2(database.file.c_str(), &database.handle, flags,
                                 nullptr))
    return database.failure(code);
  sqlite3_busy_timeout(database.handle, int(patience * 1000));
  // The file may come from anyone.
  sqlite3_db_config(database.handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database.handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0,
                    nullptr);
  Expected<int64_t> objects =
      database.number("SELECT count(*) FROM sqlite_schema");
  if (!objects)
    return objects.takeError();
  Expected<int64_t> application = database.number("PRAGMA application_id");
  if (!application)
    return application.takeError();
  if (access == Access::Create && !*objects && !*application)
    if (Error error = database.create())
      return std::move(error);
  if (Error error = database.verify())
    return std::move(error);
  return std::move(database);
}

Expected<std::vector<Measurement>>
TuningDatabase::find(const MachineKey &machine, StringRef kernel) const {
  Statement rows(
      *this, "SELECT schedule, outcome, nanoseconds, rounds FROM measurement "
             "JOIN kernel ON kernel.hash = measurement.kernel "
             "WHERE cpu = ? AND features = ? AND emitter = ? "
             "AND measurement.kernel = ? AND text = ? ORDER BY schedule");
  rows.bind(machine.cpu)
      .bind(machine.features)
      .bind(machine.emitter)
      .bind(hashOf(kernel))
      .bind(kernel);
  std::vector<Measurement> found;
  while (true) {
    Expected<bool> row = rows.step();
    if (!row)
      return row.takeError();
    if (!*row)
      return found;
    Expected<Measurement> measurement = rows.measurement(0);
    if (!measurement)
      return measurement.takeError();
    found.push_back(std::move(*measurement));
  }
}

/// Within a transaction.
Error TuningDatabase::add(const MachineKey &machine, StringRef kernel,
                          ArrayRef<Measurement> measurements) {
  Expected<std::vector<Measurement>> known = find(machine, kernel);
  if (!known)
    return known.takeError();
  std::string hash = hashOf(kernel);
  if (Error error =
          Statement(*this, "INSERT OR IGNORE INTO kernel VALUES (?, ?)")
              .bind(hash)
              .bind(kernel)
              .run())
    return error;
  for (Measurement measurement : measurements) {
    for (const Measurement &old : *known)
      if (old.schedule == measurement.schedule)
        measurement = better(old, measurement);
    if (Error error =
            Statement(*this, "INSERT OR REPLACE INTO measurement "
                             "VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
                .bind(machine.cpu)
                .bind(machine.features)
                .bind(machine.emitter)
                .bind(hash)
                .bind(measurement.schedule)
                .bind(nameOf(measurement.outcome))
                .bind(measurement.isValid() ? measurement.nanoseconds : 0.0)
                .bind(measurement.rounds)
                .run())
      return error;
  }
  return Error::success();
}

Error TuningDatabase::record(const MachineKey &machine, StringRef kernel,
                             ArrayRef<Measurement> measurements) {
  return transact([&] { return add(machine, kernel, measurements); });
}

Error TuningDatabase::merge(const TuningDatabase &other) {
  return transact([&] {
    return other.visit([&](const MachineKey &machine, StringRef kernel,
                           ArrayRef<Measurement> measurements) {
      return add(machine, kernel, measurements);
    });
  });
}

Error TuningDatabase::visit(Visitor visitor) const {
  Statement rows(
      *this,
      "SELECT cpu, features, emitter, text, schedule, outcome, nanoseconds, "
      "rounds FROM measurement JOIN kernel ON kernel.hash = measurement.kernel "
      "ORDER BY cpu, features, emitter, measurement.kernel, schedule");
  MachineKey machine;
  std::string kernel;
  std::vector<Measurement> group;
  while (true) {
    Expected<bool> row = rows.step();
    if (!row)
      return row.takeError();
    MachineKey nextMachine;
    std::string nextKernel;
    if (*row) {
      nextMachine = {rows.text(0), rows.text(1), rows.integer(2)};
      nextKernel = rows.text(3);
    }
    bool same = *row && nextKernel == kernel &&
                nextMachine.cpu == machine.cpu &&
                nextMachine.features == machine.features &&
                nextMachine.emitter == machine.emitter;
    if (!same && !group.empty()) {
      if (Error error = visitor(machine, kernel, group))
        return error;
      group.clear();
    }
    if (!*row)
      return Error::success();
    machine = std::move(nextMachine);
    kernel = std::move(nextKernel);
    Expected<Measurement> measurement = rows.measurement(4);
    if (!measurement)
      return measurement.takeError();
    group.push_back(std::move(*measurement));
  }
}
