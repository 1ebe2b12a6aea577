/* Runs a model with one float input [N, 3] and one float output of the same
 * shape, from C:
 *
 *   cc run.c -I <folder of ampc.h> -o run && ./run ./model.so
 */
#include "ampc_load.h"

#include <stdio.h>

int main(int argc, char **argv) {
  float x[2][3] = {{1, 2, 3}, {4, 5, 6}}, y[2][3];
  int64_t dims[] = {2, 3};
  char message[512];
  ampc_library library;
  ampc_model *model;
  ampc_context *context;

  if (argc != 2) {
    fprintf(stderr, "usage: %s MODEL.so\n", argv[0]);
    return 2;
  }
  if (!ampc_library_open(argv[1], &library, message, sizeof message)) {
    fprintf(stderr, "%s\n", message);
    return 1;
  }
  const ampc_api_v1 *api = library.api;
  if (api->model_create(api, NULL, &model, message, sizeof message) ||
      api->context_create(model, NULL, &context, message, sizeof message)) {
    fprintf(stderr, "%s\n", message);
    return 1;
  }

  DLTensor input = ampc_tensor(api, AMPC_FLOAT, x, 2, dims);
  DLTensor output = ampc_tensor(api, AMPC_FLOAT, y, 2, dims);
  const DLTensor *inputs[] = {&input};
  DLTensor *outputs[] = {&output}; /* Our memory, of the result's shape. */
  if (api->run(context, inputs, 1, outputs, 1)) {
    fprintf(stderr, "%s\n", api->last_error(context));
    return 1;
  }
  for (int i = 0; i < 2; ++i)
    printf("%g %g %g\n", y[i][0], y[i][1], y[i][2]);

  api->context_destroy(context);
  api->model_destroy(model);
  ampc_library_close(&library);
  return 0;
}
