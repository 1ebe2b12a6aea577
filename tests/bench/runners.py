"""One model in one library, ready to run again and again: all that can be done once, such
as describing inputs and providing outputs, is done when a runner is made."""

import pathlib

import numpy as np

import machine  # noqa: F401  Finds what is imported below.


class Ampc:
    """Through the C interface, as Python calls it at the least cost."""

    def __init__(self, file: pathlib.Path, feed: "dict[str, np.ndarray]", threads: int):
        import ampc
        from ampc import _abi

        self._model = ampc.Model(file, threads=threads)
        inputs = [feed[info.name] for info in self._model.inputs]
        first = self._model.run(inputs)
        self._outputs = [np.array(array) for array in first]
        described = [
            [self._model._describe(array, info.onnx_dtype) for array, info in zip(arrays, infos)]
            for arrays, infos in (
                (inputs, self._model.inputs),
                (self._outputs, self._model.outputs),
            )
        ]
        self._context = self._model._context()
        self._keep = described
        ins, outs = (_abi.pointers(tensors) for tensors in described)
        self._arguments = (self._context, ins, len(inputs), outs, len(self._outputs))

    def run(self) -> None:
        status = self._model._api.run(*self._arguments)
        if status:
            self._model._check(status, self._context)

    def outputs(self) -> "list[np.ndarray]":
        self.run()
        return self._outputs


class OnnxRuntime:
    """Through its I/O binding, into outputs that the first run has made."""

    def __init__(self, file: pathlib.Path, feed: "dict[str, np.ndarray]", threads: int, profile=""):
        import onnxruntime
        from timing import cpu_session

        self.session = cpu_session(file, threads, profile)
        self._binding = self.session.io_binding()
        for name, array in feed.items():
            value = onnxruntime.OrtValue.ortvalue_from_numpy(np.ascontiguousarray(array))
            self._binding.bind_ortvalue_input(name, value)
        names = [output.name for output in self.session.get_outputs()]
        for name in names:
            self._binding.bind_output(name)
        self.run()
        for name, value in zip(names, self._binding.get_outputs()):
            self._binding.bind_ortvalue_output(name, value)

    def run(self) -> None:
        self.session.run_with_iobinding(self._binding)

    def outputs(self) -> "list[np.ndarray]":
        self.run()
        return self._binding.copy_outputs_to_cpu()


class OpenVino:
    """In float32 whatever the machine has, for latency, in one stream."""

    def __init__(self, file: pathlib.Path, feed: "dict[str, np.ndarray]", threads: int, **more):
        import openvino

        settings = {
            "INFERENCE_PRECISION_HINT": "f32",
            "PERFORMANCE_HINT": "LATENCY",
            "NUM_STREAMS": 1,
            "INFERENCE_NUM_THREADS": threads,
            **more,
        }
        compiled = openvino.Core().compile_model(str(file), "CPU", settings)
        self.request, self._count = compiled.create_infer_request(), len(compiled.outputs)
        self._inputs = [
            openvino.Tensor(np.ascontiguousarray(feed[port.any_name]))
            for port in compiled.inputs
        ]
        for index, value in enumerate(self._inputs):
            self.request.set_input_tensor(index, value)
        self.run()

    def run(self) -> None:
        self.request.infer(share_outputs=True)  # In the request's memory, not copied.

    def outputs(self) -> "list[np.ndarray]":
        self.run()
        return [np.array(self.request.get_output_tensor(i).data) for i in range(self._count)]


class Iree:
    """A .vmfb for this CPU. One thread is the driver that has no workers."""

    def __init__(self, file: pathlib.Path, feed: "dict[str, np.ndarray]", threads: int):
        from iree import runtime

        if threads > 1:
            runtime.flags.parse_flags(f"--task_topology_max_group_count={threads}")
        config = runtime.Config("local-task" if threads > 1 else "local-sync")
        self._device = config.device
        module = runtime.VmModule.mmap(config.vm_instance, str(file))
        self._system = runtime.SystemContext(config=config, vm_modules=[module])
        name = next(n for n in module.function_names if not n.startswith("__") and "$" not in n)
        self._function = module.lookup_function(name)
        self._inputs = runtime.VmVariantList(len(feed))
        for array in feed.values():  # In the order of the model's inputs.
            value = runtime.asdevicearray(self._device, np.ascontiguousarray(array))
            self._inputs.push_ref(value._buffer_view)
        self.run()

    def run(self) -> None:
        from iree import runtime

        self._results = runtime.VmVariantList(1)
        self._system.vm_context.invoke(self._function, self._inputs, self._results)

    def outputs(self) -> "list[np.ndarray]":
        from iree import runtime

        self.run()
        views = [
            self._results.get_as_object(i, runtime.HalBufferView) for i in range(self._results.size)
        ]
        return [np.array(runtime.DeviceArray(self._device, v).to_host()) for v in views]


class Tvm:
    """A library made by relax. TVM_NUM_THREADS has to say how many threads there are
    before TVM is imported."""

    def __init__(self, file: pathlib.Path, feed: "dict[str, np.ndarray]", threads: int):
        import tvm
        from tvm import relax

        self._machine = relax.VirtualMachine(tvm.runtime.load_module(str(file)), tvm.cpu())
        values = [tvm.runtime.tensor(np.ascontiguousarray(array)) for array in feed.values()]
        self._machine.set_input("main", *values)
        self.run()

    def run(self) -> None:
        self._machine.invoke_stateful("main")

    def outputs(self) -> "list[np.ndarray]":
        self.run()
        results = self._machine.get_outputs("main")
        return [value.numpy() for value in (results if hasattr(results, "__len__") else [results])]


# By name: what runs it, and the module whose import is not part of loading a model.
RUNNERS = {
    "ampc": (Ampc, "ampc"),
    "onnxruntime": (OnnxRuntime, "onnxruntime"),
    "openvino": (OpenVino, "openvino"),
    "iree": (Iree, "iree.runtime"),
    "tvm": (Tvm, "tvm.relax"),
}
