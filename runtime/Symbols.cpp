//===- Symbols.cpp - Named dimensions of one run --------------------------===//

#include "Symbols.h"
#include "Memory.h"

#include <string.h>

using namespace ampc::rt;

bool Symbols::create(const ampc_model_desc &desc) {
  size_t dims = 0;
  for (uint32_t i = 0; i < desc.num_inputs; ++i)
    dims += size_t(desc.inputs[i].rank);
  numInputs = desc.num_inputs;
  ids = allocateZeroed<int32_t *>(numInputs);
  bindings = allocateZeroed<Binding>(dims);
  if (!ids || !bindings)
    return false;
  for (uint32_t i = 0; i < numInputs; ++i) {
    const ampc_tensor_desc &tensor = desc.inputs[i];
    ids[i] = allocateZeroed<int32_t>(size_t(tensor.rank));
    if (!ids[i])
      return false;
    for (int32_t d = 0; d < tensor.rank; ++d) {
      const char *name = tensor.symbols ? tensor.symbols[d] : nullptr;
      int32_t &id = ids[i][d] = -1;
      if (!name)
        continue;
      for (int32_t s = 0; s < count && id < 0; ++s) {
        const Binding &seen = bindings[s];
        if (!strcmp(desc.inputs[seen.input].symbols[seen.dim], name))
          id = s;
      }
      if (id < 0) {
        id = count++;
        bindings[id] = {-1, i, d};
      }
    }
  }
  return true;
}

void Symbols::release() {
  if (ids)
    for (uint32_t i = 0; i < numInputs; ++i)
      free(ids[i]);
  free(ids);
  free(bindings);
  *this = Symbols();
}

void Symbols::forget() {
  for (int32_t s = 0; s < count; ++s)
    bindings[s].size = -1;
}

ampc_status Symbols::bind(const ampc_model_desc &desc, uint32_t input,
                          int32_t dim, int64_t size, Message &message) {
  int32_t id = ids[input][dim];
  if (id < 0)
    return AMPC_OK;
  Binding &binding = bindings[id];
  if (binding.size < 0) {
    binding = {size, input, dim};
    return AMPC_OK;
  }
  if (binding.size == size)
    return AMPC_OK;
  return message.fail(
      AMPC_WRONG_SHAPE,
      "input %u \"%s\": dimension %d, \"%s\", is %lld, but \"%s\" is %lld in "
      "input %u \"%s\"",
      input, desc.inputs[input].name, dim, desc.inputs[input].symbols[dim],
      (long long)size, desc.inputs[input].symbols[dim], (long long)binding.size,
      binding.input, desc.inputs[binding.input].name);
}
