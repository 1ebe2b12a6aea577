"""Runs models compiled by ampc, through the C interface of runtime/ampc.h.

    import ampc
    model = ampc.Model("model.so")
    (result,) = model.run({"x": array})

Needs numpy; ml_dtypes too for models with types that numpy lacks (bfloat16, 8-bit
floats, 4-bit integers).
"""

import ctypes
import json
import os
import threading
import weakref
from typing import Mapping, NamedTuple, Sequence

import numpy as np

from . import _abi

__all__ = ["Error", "Model", "TensorInfo"]


class Error(RuntimeError):
    """A status other than AMPC_OK. `status` is its number."""

    def __init__(self, status: int, name: str, message: str):
        super().__init__(f"{name}: {message}" if message else name)
        self.status = status


class TensorInfo(NamedTuple):
    """An input or output. Dynamic sizes are the name of their symbol, or None."""

    name: str
    dtype: np.dtype
    shape: tuple  # of int | str | None
    onnx_dtype: int


class Model:
    """A compiled model. `run` may be called from several threads at once: each
    thread gets a context of its own."""

    def __init__(
        self,
        path: "str | os.PathLike[str]",
        *,
        threads: int = 0,
        weights_dir: "str | None" = None,
    ):
        library = ctypes.CDLL(os.path.abspath(path), mode=os.RTLD_LOCAL | os.RTLD_NOW)
        entry = library.ampc_entry_v1
        entry.restype = ctypes.POINTER(_abi.Api)
        self._api = entry().contents
        self._library = library
        self._threads = threads
        self._contexts = threading.local()
        self.inputs = self._signature(self._api.num_inputs, self._api.input_info)
        self.outputs = self._signature(self._api.num_outputs, self._api.output_info)

        options = _abi.ModelOptions(struct_size=ctypes.sizeof(_abi.ModelOptions))
        if weights_dir is not None:
            options.weights_dir = os.fsencode(weights_dir)
        self._model = ctypes.c_void_p()
        message = ctypes.create_string_buffer(1024)
        self._check(
            self._api.model_create(
                self._api, options, self._model, message, len(message)
            ),
            message,
        )
        weakref.finalize(self, self._api.model_destroy, self._model)

    @property
    def name(self) -> str:
        return self._api.name(self._api).decode()

    @property
    def info(self) -> dict:
        """Signature, target and compile record."""
        return json.loads(self._api.info_json(self._api))

    def run(
        self,
        inputs: "Mapping[str, np.ndarray] | Sequence[np.ndarray]",
        outputs: "Sequence[np.ndarray | None] | None" = None,
    ) -> "list[np.ndarray]":
        """Runs the model on inputs given by name, or by position.

        Arrays of `outputs` that are not None receive their result in place. The
        results come back in the order of `self.outputs`; those that were not the
        caller's own arrays live in the library's memory, without a copy.
        """
        if isinstance(inputs, Mapping):
            unknown = inputs.keys() - {info.name for info in self.inputs}
            missing = [i.name for i in self.inputs if i.name not in inputs]
            if unknown or missing:
                raise ValueError(
                    f"missing inputs {missing}, unknown inputs {sorted(unknown)}"
                )
            inputs = [inputs[info.name] for info in self.inputs]
        arrays = [np.asarray(array) for array in inputs]
        # The runtime names what does not fit; only what it cannot see, a dtype
        # that has the same bits as the right one, is tested here.
        dl_inputs = [
            self._describe(array, self.inputs[i].onnx_dtype if i < len(self.inputs) else 0)
            for i, array in enumerate(arrays)
        ]
        dl_outputs = None
        if outputs is not None:
            dl_outputs = [
                None if o is None else self._describe(o, self.outputs[i].onnx_dtype)
                for i, o in enumerate(outputs)
            ]
        context = self._context()
        self._check(
            self._api.run(
                context,
                _abi.pointers(dl_inputs),
                len(dl_inputs),
                None if dl_outputs is None else _abi.pointers(dl_outputs),
                0 if dl_outputs is None else len(dl_outputs),
            ),
            context,
        )
        return [
            outputs[i]
            if outputs is not None and outputs[i] is not None
            else self._take(context, i)
            for i in range(len(self.outputs))
        ]

    def _signature(self, count, query) -> "list[TensorInfo]":
        infos = []
        for index in range(count(self._api)):
            info = _abi.TensorInfo()
            self._check(query(self._api, index, info))
            shape = tuple(
                info.dims[d]
                if info.dims[d] >= 0
                else _abi.symbol(info, d)
                for d in range(info.rank)
            )
            infos.append(
                TensorInfo(
                    info.name.decode(), _abi.numpy_dtype(info.dtype), shape, info.dtype
                )
            )
        return infos

    def _describe(self, array: np.ndarray, onnx_dtype: int) -> _abi.DLTensor:
        """A view of `array` that keeps it alive."""
        expected = _abi.numpy_dtype(onnx_dtype) if onnx_dtype else array.dtype
        described = _abi.onnx_dtype(array.dtype)
        if array.dtype == expected:
            described = onnx_dtype or described
            array = _abi.as_bytes_on_wire(array, described)
        info = _abi.DtypeInfo()
        self._check(self._api.dtype_info(described, info))
        return _abi.dl_tensor(array, info.dl)

    def _take(self, context, index: int) -> np.ndarray:
        managed = ctypes.POINTER(_abi.DLManagedTensor)()
        self._check(self._api.take_output(context, index, managed), context)
        tensor = managed.contents.dl_tensor
        onnx_dtype = self.outputs[index].onnx_dtype
        dtype = _abi.wire_dtype(onnx_dtype)
        shape = tuple(tensor.shape[d] for d in range(tensor.ndim))
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        if size == 0:
            managed.contents.deleter(managed)
            return np.empty(shape, self.outputs[index].dtype)
        memory = (ctypes.c_ubyte * size).from_address(tensor.data + tensor.byte_offset)
        weakref.finalize(memory, managed.contents.deleter, managed)
        array = np.frombuffer(memory, dtype).reshape(shape)
        return _abi.from_bytes_on_wire(array, onnx_dtype)

    def _context(self) -> ctypes.c_void_p:
        if not hasattr(self._contexts, "handle"):
            options = _abi.ContextOptions(
                struct_size=ctypes.sizeof(_abi.ContextOptions), threads=self._threads
            )
            handle = ctypes.c_void_p()
            message = ctypes.create_string_buffer(1024)
            self._check(
                self._api.context_create(
                    self._model, options, handle, message, len(message)
                ),
                message,
            )
            self._contexts.handle = handle
            self._contexts.owner = _Owner(self._api.context_destroy, handle)
        return self._contexts.handle

    def _check(self, status: int, source=None) -> None:
        if status == 0:
            return
        message = b""
        if isinstance(source, ctypes.c_void_p):
            message = self._api.last_error(source)
        elif source is not None:
            message = source.value
        raise Error(
            status,
            self._api.status_name(status).decode(),
            message.decode(errors="replace"),
        )


class _Owner:
    """Destroys a context when the thread that made it, or its model, ends."""

    def __init__(self, destroy, handle):
        weakref.finalize(self, destroy, handle)
