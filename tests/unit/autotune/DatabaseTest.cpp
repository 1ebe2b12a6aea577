//===- DatabaseTest.cpp - Measurements that outlive a process -------------===//

#include "autotune/TuningDatabase.h"

#include "llvm/Support/FileSystem.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <csignal>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace ampc::tune;
using Access = TuningDatabase::Access;

namespace {

const MachineKey kMachine{"processor", "avx,avx2", 1};

Measurement timed(std::string schedule, double nanoseconds) {
  return {std::move(schedule), Outcome::Measured, nanoseconds, 5};
}

class Database : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> path;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("ampc-tuning", path));
    folder = path.str().str();
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string file(const std::string &name = "a.db") const {
    return folder + "/" + name;
  }
  TuningDatabase open(const std::string &name = "a.db", double patience = 30) {
    return llvm::cantFail(
        TuningDatabase::open(file(name), Access::Create, patience));
  }
  /// The message with which a file is refused: one line that names it.
  std::string refusal(Access access = Access::Create,
                      const std::string &name = "a.db") {
    auto database = TuningDatabase::open(file(name), access, 0.05);
    if (database)
      return "";
    std::string message = llvm::toString(database.takeError());
    EXPECT_EQ(message.find('\n'), std::string::npos);
    EXPECT_NE(message.find(file(name)), std::string::npos) << message;
    return message;
  }
  void execute(const char *sql, const std::string &name = "a.db") {
    sqlite3 *handle;
    ASSERT_EQ(sqlite3_open(file(name).c_str(), &handle), SQLITE_OK);
    char *message = nullptr;
    EXPECT_EQ(sqlite3_exec(handle, sql, nullptr, nullptr, &message), SQLITE_OK)
        << message;
    sqlite3_close(handle);
  }
  std::string content(const std::string &name = "a.db") {
    std::ifstream stream(file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  void write(const std::string &bytes, const std::string &name = "a.db") {
    std::ofstream(file(name), std::ios::binary) << bytes;
  }
  /// All that a database holds, as text.
  static std::string dump(const TuningDatabase &database) {
    std::string text;
    llvm::cantFail(database.visit([&](const MachineKey &machine,
                                      llvm::StringRef kernel,
                                      llvm::ArrayRef<Measurement> all) {
      text += machine.cpu + ";" + machine.features + ";" +
              std::to_string(machine.emitter) + ";" + kernel.str();
      for (const Measurement &m : all)
        text += "|" + m.schedule + "=" + nameOf(m.outcome).str() + " " +
                std::to_string(m.nanoseconds) + " " + std::to_string(m.rounds);
      text += "\n";
      return llvm::Error::success();
    }));
    return text;
  }
  static std::vector<Measurement> find(const TuningDatabase &database,
                                       const std::string &kernel = "kernel",
                                       const MachineKey &machine = kMachine) {
    return llvm::cantFail(database.find(machine, kernel));
  }

  std::string folder;
};

TEST_F(Database, KeepsWhatWasRecorded) {
  {
    TuningDatabase database = open();
    llvm::cantFail(database.record(
        kMachine, "kernel",
        {timed("b", 20.5), timed("a", 10), {"c", Outcome::Crashed, 0, 0}}));
  }
  auto database =
      llvm::cantFail(TuningDatabase::open(file(), Access::Existing));
  std::vector<Measurement> found = find(database);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].schedule, "a");
  EXPECT_EQ(found[1].nanoseconds, 20.5);
  EXPECT_EQ(found[1].rounds, 5);
  EXPECT_EQ(found[2].outcome, Outcome::Crashed);
}

TEST_F(Database, TellsKeysApart) {
  TuningDatabase database = open();
  llvm::cantFail(database.record(kMachine, "kernel", {timed("a", 10)}));
  EXPECT_TRUE(find(database, "other").empty());
  EXPECT_TRUE(find(database, "kernel", {"other", "avx,avx2", 1}).empty());
  EXPECT_TRUE(find(database, "kernel", {"processor", "avx", 1}).empty());
  EXPECT_TRUE(find(database, "kernel", {"processor", "avx,avx2", 2}).empty());
}

TEST_F(Database, TheBetterCounts) {
  TuningDatabase database = open();
  llvm::cantFail(database.record(kMachine, "kernel", {timed("a", 10)}));
  llvm::cantFail(database.record(kMachine, "kernel", {timed("a", 12)}));
  EXPECT_EQ(find(database)[0].nanoseconds, 10);
  llvm::cantFail(
      database.record(kMachine, "kernel", {{"a", Outcome::Wrong, 0, 0}}));
  EXPECT_EQ(find(database)[0].outcome, Outcome::Wrong);
}

TEST_F(Database, RefusesWhatIsNoDatabase) {
  write("This is a letter, and quite a long one, about nothing much at all. "
        "It has more than a hundred bytes, which is what a header has.");
  std::string before = content();
  EXPECT_NE(refusal().find("is no tuning database"), std::string::npos);
  EXPECT_EQ(content(), before);
}

TEST_F(Database, RefusesForeignDatabases) {
  execute("CREATE TABLE cats (name TEXT)");
  std::string before = content();
  EXPECT_NE(refusal().find("is no tuning database"), std::string::npos);
  EXPECT_EQ(content(), before);
}

TEST_F(Database, RefusesOtherVersions) {
  open();
  execute("PRAGMA user_version = 0");
  EXPECT_NE(refusal().find("has version 0, this ampc knows 1"),
            std::string::npos);
}

TEST_F(Database, RefusesOtherTables) {
  open();
  execute("CREATE VIEW v AS SELECT 1");
  EXPECT_NE(refusal().find("has tables that are not ampc's"),
            std::string::npos);
  execute("DROP VIEW v; ALTER TABLE kernel ADD COLUMN more");
  EXPECT_NE(refusal().find("has tables that are not ampc's"),
            std::string::npos);
}

TEST_F(Database, RefusesUnknownOutcomes) {
  llvm::cantFail(open().record(kMachine, "kernel", {timed("a", 10)}));
  execute("UPDATE measurement SET outcome = 'splendid'");
  TuningDatabase database = open();
  auto found = database.find(kMachine, "kernel");
  ASSERT_FALSE(bool(found));
  EXPECT_NE(llvm::toString(found.takeError()).find("outcome"),
            std::string::npos);
}

/// Cut anywhere, and with any byte of its structure changed.
TEST_F(Database, RefusesDamage) {
  {
    TuningDatabase database = open();
    for (int i = 0; i < 40; ++i)
      llvm::cantFail(database.record(
          kMachine, "kernel " + std::to_string(i) + std::string(500, 'x'),
          {timed("a", 10), timed("b", 11)}));
  }
  std::string whole = content();
  ASSERT_GT(whole.size(), 20000u);
  for (size_t size :
       {size_t(50), size_t(1000), whole.size() / 2, whole.size() - 4096}) {
    write(whole.substr(0, size));
    EXPECT_NE(refusal(), "") << size;
  }
  unsigned refused = 0, tried = 0;
  for (size_t at = 0; at < whole.size(); at += 409) {
    std::string damaged = whole;
    for (size_t i = at; i < std::min(at + 64, whole.size()); ++i)
      damaged[i] = char(damaged[i] ^ 0x55);
    write(damaged);
    // Never more than an error, though text may change unseen.
    auto database = TuningDatabase::open(file(), Access::Existing, 0.05);
    ++tried;
    if (!database) {
      ++refused;
      llvm::consumeError(database.takeError());
    } else if (llvm::Error error =
                   database->visit([](const MachineKey &, llvm::StringRef,
                                      llvm::ArrayRef<Measurement>) {
                     return llvm::Error::success();
                   })) {
      llvm::consumeError(std::move(error));
    }
  }
  EXPECT_GT(refused, tried / 20);
}

TEST_F(Database, MissingFilesAndFolders) {
  EXPECT_NE(refusal(Access::Existing).find("does not exist"),
            std::string::npos);
  EXPECT_NE(refusal(Access::Create, "none/a.db").find("cannot be opened"),
            std::string::npos);
  ASSERT_EQ(mkfifo(file("pipe").c_str(), 0600), 0);
  EXPECT_NE(refusal(Access::Create, "pipe").find("is no regular file"),
            std::string::npos);
  EXPECT_NE(refusal(Access::Create, ".").find("is no regular file"),
            std::string::npos);
  write("");
  EXPECT_NE(refusal(Access::Existing), "");
  open(); // An empty file may become one.
}

/// In a process that may not write it, whoever runs the tests.
TEST_F(Database, ReadOnly) {
  llvm::cantFail(open().record(kMachine, "kernel", {timed("a", 10)}));
  chmod(folder.c_str(), 0555);
  chmod(file().c_str(), 0444);
  pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && setuid(65534))
      _exit(1);
    auto database = TuningDatabase::open(file(), Access::Existing);
    if (!database)
      _exit(2);
    auto found = database->find(kMachine, "kernel");
    if (!found || found->size() != 1)
      _exit(3);
    std::string message =
        llvm::toString(database->record(kMachine, "kernel", {timed("b", 10)}));
    _exit(message.find("is read-only") == std::string::npos ? 4 : 0);
  }
  int status;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  chmod(folder.c_str(), 0755);
}

TEST_F(Database, LockedLosesNothing) {
  TuningDatabase database = open("a.db", 0.05);
  llvm::cantFail(database.record(kMachine, "kernel", {timed("a", 10)}));
  sqlite3 *other;
  ASSERT_EQ(sqlite3_open(file().c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr),
            SQLITE_OK);
  EXPECT_NE(refusal().find("is locked by another process"), std::string::npos);
  std::string message =
      llvm::toString(database.record(kMachine, "kernel", {timed("b", 10)}));
  EXPECT_NE(message.find("is locked by another process"), std::string::npos)
      << message;
  sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr);
  sqlite3_close(other);
  llvm::cantFail(database.record(kMachine, "kernel", {timed("b", 10)}));
  EXPECT_EQ(find(database).size(), 2u);
}

/// In a process of its own, whose files cannot grow.
TEST_F(Database, FullDiskLosesNothing) {
  llvm::cantFail(open().record(kMachine, "kernel", {timed("a", 10)}));
  pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {24 << 10, 24 << 10};
    setrlimit(RLIMIT_FSIZE, &limit);
    auto database = TuningDatabase::open(file(), Access::Existing);
    if (!database)
      _exit(2);
    for (int i = 0; i < 100; ++i)
      if (llvm::Error error = database->record(
              kMachine, std::to_string(i) + std::string(4000, 'x'),
              {timed("a", 10)})) {
        std::string message = llvm::toString(std::move(error));
        bool oneLine = message.find('\n') == std::string::npos;
        // What is there can still be read.
        auto found = database->find(kMachine, "kernel");
        _exit(oneLine && found && found->size() == 1 ? 0 : 3);
      }
    _exit(4);
  }
  int status;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  TuningDatabase database = open();
  EXPECT_EQ(find(database).size(), 1u);
  llvm::cantFail(database.record(kMachine, "more", {timed("a", 10)}));
}

/// Which both make the file, too.
TEST_F(Database, ProcessesShareAFile) {
  constexpr int processes = 4, records = 25;
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    pid_t child = fork();
    if (child == 0) {
      auto database = TuningDatabase::open(file(), Access::Create);
      if (!database)
        _exit(1);
      for (int i = 0; i < records; ++i)
        if (database->record(kMachine, "kernel " + std::to_string(i),
                             {timed("of " + std::to_string(p), 10),
                              timed("of all", 100 - p)}))
          _exit(2);
      _exit(0);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  TuningDatabase database = open();
  for (int i = 0; i < records; ++i) {
    std::vector<Measurement> found =
        find(database, "kernel " + std::to_string(i));
    ASSERT_EQ(found.size(), size_t(processes + 1));
    EXPECT_EQ(found[0].schedule, "of 0");
    EXPECT_EQ(found.back().schedule, "of all");
    EXPECT_EQ(found.back().nanoseconds, 100 - (processes - 1));
  }
}

/// A process that is killed in the middle leaves whole records.
TEST_F(Database, KilledProcessesLeaveWholeRecords) {
  open();
  pid_t child = fork();
  if (child == 0) {
    auto database = TuningDatabase::open(file(), Access::Existing);
    for (int i = 0; database; ++i)
      llvm::consumeError(database->record(kMachine, std::to_string(i),
                                          {timed("a", 1), timed("b", 2)}));
    _exit(1);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  TuningDatabase database = open();
  llvm::cantFail(database.visit(
      [](const MachineKey &, llvm::StringRef, llvm::ArrayRef<Measurement> all) {
        EXPECT_EQ(all.size(), 2u);
        return llvm::Error::success();
      }));
}

TEST_F(Database, MergesInAnyOrder) {
  {
    TuningDatabase a = open("a.db"), b = open("b.db"), c = open("c.db");
    llvm::cantFail(a.record(kMachine, "x", {timed("1", 10), timed("2", 20)}));
    llvm::cantFail(b.record(kMachine, "x", {timed("1", 9), timed("3", 5)}));
    llvm::cantFail(b.record(kMachine, "y", {timed("1", 9)}));
    llvm::cantFail(
        c.record(kMachine, "x", {{"2", Outcome::Wrong, 0, 0}, timed("3", 6)}));
    llvm::cantFail(c.record({"other", "avx", 1}, "x", {timed("1", 1)}));
  }
  std::vector<std::string> names{"a.db", "b.db", "c.db"};
  std::string first;
  do {
    std::string name = names[0] + names[1] + names[2];
    TuningDatabase merged = open(name);
    for (const std::string &input : names)
      llvm::cantFail(merged.merge(open(input)));
    llvm::cantFail(merged.merge(open(names[0]))); // Once more.
    std::string text = dump(merged);
    if (first.empty())
      first = text;
    EXPECT_EQ(text, first);
  } while (std::next_permutation(names.begin(), names.end()));
  EXPECT_NE(first.find("x|1=measured 9.000000 5|2=wrong 0.000000 5|"
                       "3=measured 5.000000 5"),
            std::string::npos)
      << first;
}

TEST_F(Database, MergingWithItselfChangesNothing) {
  TuningDatabase database = open();
  llvm::cantFail(database.record(kMachine, "x", {timed("1", 10)}));
  std::string before = dump(database);
  llvm::cantFail(database.merge(database));
  EXPECT_EQ(dump(database), before);
}

} // namespace
