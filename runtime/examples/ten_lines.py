"""Runs a model with one float input [N, 3] and output of that shape, in ten lines of ctypes.
   run.py is the same for any model, with messages and outputs of any shape."""
import ctypes as C, sys, numpy as np
P, library = C.c_void_p, C.CDLL(sys.argv[1])
library.ampc_entry_v1.restype = C.POINTER(P)
api, model, context = library.ampc_entry_v1(), P(), P()  # ampc_api_v1 as an array of pointers
call = lambda i, *args: C.CFUNCTYPE(C.c_int)(api[i])(*args)
tensor = C.PYFUNCTYPE(P, C.py_object, C.c_char_p)(("PyCapsule_GetPointer", C.pythonapi))
x, y = np.ones((2, 3), np.float32), np.empty((2, 3), np.float32)
dl = [array.__dlpack__() for array in (x, y)]  # each holds a DLTensor
call(11, api, None, C.byref(model), None, P(0)) or call(13, model, None, C.byref(context), None, P(0))
print(call(17, context, (P * 1)(tensor(dl[0], b"dltensor")), P(1), (P * 1)(tensor(dl[1], b"dltensor")), P(1)), y)
