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

    def __init__(self, file: pathlib.Path, feed: "dict[str, np.ndarray]", threads: int):
        import onnxruntime
        from timing import cpu_session

        self._session = cpu_session(file, threads)
        self._binding = self._session.io_binding()
        for name, array in feed.items():
            value = onnxruntime.OrtValue.ortvalue_from_numpy(np.ascontiguousarray(array))
            self._binding.bind_ortvalue_input(name, value)
        names = [output.name for output in self._session.get_outputs()]
        for name in names:
            self._binding.bind_output(name)
        self.run()
        for name, value in zip(names, self._binding.get_outputs()):
            self._binding.bind_ortvalue_output(name, value)

    def run(self) -> None:
        self._session.run_with_iobinding(self._binding)

    def outputs(self) -> "list[np.ndarray]":
        self.run()
        return self._binding.copy_outputs_to_cpu()
