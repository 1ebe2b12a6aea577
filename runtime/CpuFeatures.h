//===- CpuFeatures.h - Can this machine run the code? ------------*- C++
//-*-===//

#ifndef AMPC_RUNTIME_CPUFEATURES_H
#define AMPC_RUNTIME_CPUFEATURES_H

#include "Message.h"

namespace ampc::rt {

/// Tests that the CPU and the operating system support all of `features`,
/// LLVM feature names separated by commas ("avx2,fma"; a leading '+' is
/// allowed, one with '-' is not needed; null and "" need nothing). Otherwise
/// AMPC_UNSUPPORTED_CPU, naming the first that is missing.
ampc_status checkCpuFeatures(const char *features, Message &message);

enum class CpuSupport { yes, no, unknownName };

/// Support of the one feature `name[0..length)`. One definition an
/// architecture. If the operating system has to be asked for a feature, this
/// does so, for the whole process.
CpuSupport cpuSupports(const char *name, int length);

} // namespace ampc::rt

#endif // AMPC_RUNTIME_CPUFEATURES_H
