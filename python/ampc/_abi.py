"""runtime/ampc.h in ctypes, and what its element types are in numpy."""

import ctypes
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int32, c_int64, c_size_t, c_void_p

import numpy as np


class DLDataType(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
    ]


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p),
        ("device_type", c_int32),
        ("device_id", c_int32),
        ("ndim", c_int32),
        ("dtype", DLDataType),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class DLManagedTensor(ctypes.Structure):
    pass


DLManagedTensor._fields_ = [
    ("dl_tensor", DLTensor),
    ("manager_ctx", c_void_p),
    ("deleter", CFUNCTYPE(None, POINTER(DLManagedTensor))),
]


class TensorInfo(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("dtype", c_int32),
        ("rank", c_int32),
        ("dims", POINTER(c_int64)),
        ("symbols", POINTER(c_char_p)),
    ]


def symbol(info: TensorInfo, dim: int) -> "str | None":
    name = info.symbols[dim] if info.symbols else None
    return name.decode() if name else None


class DtypeInfo(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("dl", DLDataType),
        ("size", c_int32),
        ("alignment", c_int32),
    ]


class ModelOptions(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("weights_dir", c_char_p),
        ("flags", ctypes.c_uint32),
    ]


class ContextOptions(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("threads", c_int32)]


class Api(ctypes.Structure):
    pass


_api = POINTER(Api)
_tensors = POINTER(POINTER(DLTensor))
Api._fields_ = [
    ("struct_size", c_size_t),
    ("version", ctypes.c_uint32),
    ("reserved", ctypes.c_uint32),
    ("description", c_void_p),
    ("name", CFUNCTYPE(c_char_p, _api)),
    ("info_json", CFUNCTYPE(c_char_p, _api)),
    ("num_inputs", CFUNCTYPE(ctypes.c_uint32, _api)),
    ("num_outputs", CFUNCTYPE(ctypes.c_uint32, _api)),
    ("input_info", CFUNCTYPE(c_int32, _api, ctypes.c_uint32, POINTER(TensorInfo))),
    ("output_info", CFUNCTYPE(c_int32, _api, ctypes.c_uint32, POINTER(TensorInfo))),
    ("dtype_info", CFUNCTYPE(c_int32, c_int32, POINTER(DtypeInfo))),
    ("status_name", CFUNCTYPE(c_char_p, c_int32)),
    (
        "model_create",
        CFUNCTYPE(
            c_int32, _api, POINTER(ModelOptions), POINTER(c_void_p), c_char_p, c_size_t
        ),
    ),
    ("model_destroy", CFUNCTYPE(None, c_void_p)),
    (
        "context_create",
        CFUNCTYPE(
            c_int32,
            c_void_p,
            POINTER(ContextOptions),
            POINTER(c_void_p),
            c_char_p,
            c_size_t,
        ),
    ),
    ("context_destroy", CFUNCTYPE(None, c_void_p)),
    ("set_threads", CFUNCTYPE(c_int32, c_void_p, c_int32)),
    ("last_error", CFUNCTYPE(c_char_p, c_void_p)),
    ("run", CFUNCTYPE(c_int32, c_void_p, _tensors, c_size_t, _tensors, c_size_t)),
    ("output", CFUNCTYPE(c_int32, c_void_p, ctypes.c_uint32, POINTER(DLTensor))),
    (
        "take_output",
        CFUNCTYPE(
            c_int32, c_void_p, ctypes.c_uint32, POINTER(POINTER(DLManagedTensor))
        ),
    ),
]

# Element types by ONNX's number: the name numpy or ml_dtypes has for it, and the
# type in which elements cross the interface where that is another one.
_DTYPES = {
    1: ("float32", None),
    2: ("uint8", None),
    3: ("int8", None),
    4: ("uint16", None),
    5: ("int16", None),
    6: ("int32", None),
    7: ("int64", None),
    9: ("bool", None),
    10: ("float16", None),
    11: ("float64", None),
    12: ("uint32", None),
    13: ("uint64", None),
    14: ("complex64", None),
    15: ("complex128", None),
    16: ("bfloat16", None),
    17: ("float8_e4m3fn", None),
    18: ("float8_e4m3fnuz", None),
    19: ("float8_e5m2", None),
    20: ("float8_e5m2fnuz", None),
    21: ("uint4", "uint8"),
    22: ("int4", "int8"),
    23: ("float4_e2m1fn", None),
    24: ("float8_e8m0fnu", None),
    25: ("uint2", "uint8"),
    26: ("int2", "int8"),
    27: ("float6_e2m3fn", None),
    28: ("float6_e3m2fn", None),
}
_NUMBERS = {name: number for number, (name, _) in _DTYPES.items()}


def numpy_dtype(number: int) -> np.dtype:
    name = _DTYPES[number][0]
    try:
        return np.dtype(name)
    except TypeError:
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, name))


def onnx_dtype(dtype: np.dtype) -> int:
    if dtype.name not in _NUMBERS:
        raise TypeError(f"no tensor element type for numpy's {dtype}")
    return _NUMBERS[dtype.name]


def wire_dtype(number: int) -> np.dtype:
    wire = _DTYPES[number][1]
    return np.dtype(wire) if wire else numpy_dtype(number)


def as_bytes_on_wire(array: np.ndarray, number: int) -> np.ndarray:
    return array.astype(wire_dtype(number)) if _DTYPES[number][1] else array


def from_bytes_on_wire(array: np.ndarray, number: int) -> np.ndarray:
    return array.astype(numpy_dtype(number)) if _DTYPES[number][1] else array


def dl_tensor(array: np.ndarray, dtype: DLDataType) -> DLTensor:
    if any(s % array.itemsize for s in array.strides):
        array = np.ascontiguousarray(array).reshape(array.shape)
    extents = c_int64 * max(array.ndim, 1)
    tensor = DLTensor(
        data=array.ctypes.data,
        device_type=1,
        ndim=array.ndim,
        dtype=dtype,
        shape=extents(*array.shape),
        strides=extents(*(s // array.itemsize for s in array.strides)),
    )
    tensor.keeps = array
    return tensor


def pointers(tensors):
    """An array of pointers to `tensors`, null where one is None."""
    array = (POINTER(DLTensor) * max(len(tensors), 1))()
    for index, tensor in enumerate(tensors):
        if tensor is not None:
            array[index] = ctypes.pointer(tensor)
    return array
