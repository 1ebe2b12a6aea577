"""Runs a model from Python by ctypes, numpy arrays in and out, nothing copied:

    python run.py ./model.so x.npy ...
"""
import ctypes as C, sys, numpy as np

api, P = None, C.c_void_p  # the table of ampc.h, as an array of pointers
MODEL_CREATE, CONTEXT_CREATE, LAST_ERROR, RUN, TAKE_OUTPUT, NUM_OUTPUTS = 11, 13, 16, 17, 19, 6
def call(index, *args, result=C.c_int): return C.CFUNCTYPE(result)(api[index])(*args)
capsule = C.PYFUNCTYPE(C.py_object, P, C.c_char_p, P)(("PyCapsule_New", C.pythonapi))
pointer = C.PYFUNCTYPE(P, C.py_object, C.c_char_p)(("PyCapsule_GetPointer", C.pythonapi))

class Output:  # hands a DLManagedTensor to numpy, which will call its deleter
    def __init__(self, tensor): self.tensor = tensor
    def __dlpack_device__(self): return 1, 0
    def __dlpack__(self, **_): return capsule(self.tensor, b"dltensor", None)

def load(path):  # returns a context
    global api
    entry = C.CDLL(path).ampc_entry_v1
    entry.restype = C.POINTER(P)
    api, model, context, text = entry(), P(), P(), C.create_string_buffer(512)
    size = C.c_size_t(512)
    if call(MODEL_CREATE, api, None, C.byref(model), text, size) or call(CONTEXT_CREATE, model, None, C.byref(context), text, size):
        raise RuntimeError(text.value.decode())
    return context

def run(context, *arrays):
    capsules = [a.__dlpack__() for a in arrays]  # a DLManagedTensor begins with its DLTensor
    inputs = (P * len(arrays))(*[pointer(c, b"dltensor") for c in capsules])
    if call(RUN, context, inputs, C.c_size_t(len(arrays)), None, C.c_size_t(0)):
        raise RuntimeError(call(LAST_ERROR, context, result=C.c_char_p).decode())
    outputs = [P() for _ in range(call(NUM_OUTPUTS, api))]
    for i, output in enumerate(outputs): call(TAKE_OUTPUT, context, C.c_uint32(i), C.byref(output))
    return [np.from_dlpack(Output(output)) for output in outputs]

if __name__ == "__main__":
    for array in run(load(sys.argv[1]), *map(np.load, sys.argv[2:])):
        print(array)
