//===- main.cpp - ampc-run ------------------------------------------------===//

#include "Inputs.h"
#include "Model.h"
#include "Options.h"
#include "Profile.h"
#include "Results.h"
#include "Timing.h"

#include <cstdio>
#include <exception>

using namespace ampc;
using namespace ampc::run;

namespace {

bool collectInputs(const Options &options, Inputs &inputs, std::string &error) {
  for (const std::string &argument : options.inputs)
    if (!inputs.addFile(argument, error))
      return false;
  if (options.randomInputs &&
      !inputs.fillRandomly(options.randomDims, options.seed, error))
    return false;
  return inputs.complete(error);
}

void print(const char *kind, const char *name, int32_t dtype,
           const DLTensor &tensor) {
  std::vector<int64_t> dims(tensor.shape, tensor.shape + tensor.ndim);
  std::printf("%s %s: %s %s\n", kind, name, dtypeName(dtype).c_str(),
              toString(dims).c_str());
}

bool runModel(const Options &options, std::string &error) {
  std::unique_ptr<Model> model =
      Model::open(options.model, options.threads, error);
  if (!model)
    return false;
  std::vector<ampc_tensor_info> infos = model->inputs();
  std::unique_ptr<Profile> profile;
  if ((options.profile || !options.profileJson.empty()) &&
      !(profile = Profile::begin(*model, options.model, error)))
    return false;
  Inputs inputs(infos);
  if (!collectInputs(options, inputs, error))
    return false;
  std::vector<DLTensor> tensors;
  for (std::optional<HostTensor> &tensor : inputs.tensors())
    tensors.push_back(tensor->dlTensor());
  std::vector<const DLTensor *> pointers;
  for (size_t i = 0; i < tensors.size(); ++i) {
    print("input ", infos[i].name, infos[i].dtype, tensors[i]);
    pointers.push_back(&tensors[i]);
  }

  ampc_status status = AMPC_OK;
  auto runOnce = [&] {
    status = model->api()->run(model->context(), pointers.data(),
                               pointers.size(), nullptr, 0);
  };
  std::vector<double> seconds;
  if (options.repeat > 1) {
    runOnce();
    if (profile)
      profile->leaveOutRun();
  }
  for (int i = 0; i < options.repeat && !status; ++i) {
    seconds.push_back(secondsOf(runOnce));
    if (profile)
      profile->addRun(seconds.back());
  }
  if (status) {
    error = options.model + ": " + model->api()->last_error(model->context());
    return false;
  }

  infos = model->outputs();
  for (uint32_t i = 0; i < infos.size(); ++i) {
    DLTensor tensor;
    if (model->api()->output(model->context(), i, &tensor)) {
      error = model->api()->last_error(model->context());
      return false;
    }
    print("output", infos[i].name, infos[i].dtype, tensor);
  }
  Timing timing = summarize(seconds);
  std::printf("time   minimum %.3f ms, median %.3f ms of %d run%s\n",
              timing.minimum * 1e3, timing.median * 1e3, options.repeat,
              options.repeat == 1 ? "" : "s");
  if (options.profile)
    profile->print();
  if (!options.profileJson.empty() &&
      !profile->write(options.profileJson, error))
    return false;
  return options.outputDir.empty() ||
         writeOutputs(*model, options.outputDir, error);
}

} // namespace

int main(int argc, char **argv) {
  std::string error;
  try {
    int exitCode;
    std::optional<Options> options = parseOptions(argc, argv, exitCode);
    if (!options)
      return exitCode;
    if (runModel(*options, error) && !std::fflush(stdout))
      return 0;
    if (error.empty())
      error = "cannot write to the standard output";
  } catch (const std::bad_alloc &) {
    error = "out of memory";
  } catch (const std::exception &failure) {
    error = failure.what();
  }
  // Names out of broken files may hold anything; this is one line.
  for (char &c : error)
    if (static_cast<unsigned char>(c) < 32)
      c = '?';
  std::fprintf(stderr, "ampc-run: %s\n", error.c_str());
  return 1;
}
