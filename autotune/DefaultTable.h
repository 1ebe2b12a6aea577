//===- DefaultTable.h - defaults.txt as a string ----------------*- C++ -*-===//

#ifndef AMPC_AUTOTUNE_DEFAULTTABLE_H
#define AMPC_AUTOTUNE_DEFAULTTABLE_H

namespace ampc::tune {

/// The table of schedules that come with ampc (ScheduleTable).
extern const char *const kDefaultTable;

} // namespace ampc::tune

#endif // AMPC_AUTOTUNE_DEFAULTTABLE_H
