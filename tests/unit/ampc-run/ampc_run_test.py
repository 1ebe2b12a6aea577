"""ampc-run: the files it reads and writes, judged by numpy and onnx, and its errors.

usage: ampc_run_test.py AMPC_RUN TYPES_SO CALC_SO WEIGHTS_SO PROFILED_SO
"""
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper

ampc_run, types_so, calc_so, weights_so, profiled_so = sys.argv[1:6]

# The inputs of the types model: name -> (ONNX's number, numpy type that carries it, what .npy files hold).
DTYPES = {
    "float": (TensorProto.FLOAT, np.float32, "<f4"),
    "uint8": (TensorProto.UINT8, np.uint8, "|u1"),
    "int8": (TensorProto.INT8, np.int8, "|i1"),
    "uint16": (TensorProto.UINT16, np.uint16, "<u2"),
    "int16": (TensorProto.INT16, np.int16, "<i2"),
    "int32": (TensorProto.INT32, np.int32, "<i4"),
    "int64": (TensorProto.INT64, np.int64, "<i8"),
    "bool": (TensorProto.BOOL, np.bool_, "|b1"),
    "float16": (TensorProto.FLOAT16, np.float16, "<f2"),
    "double": (TensorProto.DOUBLE, np.float64, "<f8"),
    "uint32": (TensorProto.UINT32, np.uint32, "<u4"),
    "uint64": (TensorProto.UINT64, np.uint64, "<u8"),
    "complex64": (TensorProto.COMPLEX64, np.complex64, "<c8"),
    "complex128": (TensorProto.COMPLEX128, np.complex128, "<c16"),
    "bfloat16": (TensorProto.BFLOAT16, ml_dtypes.bfloat16, "<u2"),
    "float8e4m3fn": (TensorProto.FLOAT8E4M3FN, ml_dtypes.float8_e4m3fn, "|u1"),
    "float8e4m3fnuz": (TensorProto.FLOAT8E4M3FNUZ, ml_dtypes.float8_e4m3fnuz, "|u1"),
    "float8e5m2": (TensorProto.FLOAT8E5M2, ml_dtypes.float8_e5m2, "|u1"),
    "float8e5m2fnuz": (TensorProto.FLOAT8E5M2FNUZ, ml_dtypes.float8_e5m2fnuz, "|u1"),
    "uint4": (TensorProto.UINT4, ml_dtypes.uint4, "|u1"),
    "int4": (TensorProto.INT4, ml_dtypes.int4, "|i1"),
    "float4e2m1": (TensorProto.FLOAT4E2M1, ml_dtypes.float4_e2m1fn, "|u1"),
    "float8e8m0": (TensorProto.FLOAT8E8M0, ml_dtypes.float8_e8m0fnu, "|u1"),
    "uint2": (TensorProto.UINT2, ml_dtypes.uint2, "|u1"),
    "int2": (TensorProto.INT2, ml_dtypes.int2, "|i1"),
    "float6e2m3": (TensorProto.FLOAT6E2M3, ml_dtypes.float6_e2m3fn, "|u1"),
    "float6e3m2": (TensorProto.FLOAT6E3M2, ml_dtypes.float6_e3m2fn, "|u1"),
}


def values(dtype):
    """Two values every type holds, the first negative where there are negative ones."""
    if dtype in (np.complex64, np.complex128):
        return np.array([1 - 2j, -0.5 + 4j], dtype)
    first = -1 if np.array(-1).astype(dtype).astype(float) == -1 else 1
    return np.array([first, 1], np.float32).astype(dtype)


def run(*arguments):
    done = subprocess.run([ampc_run, *map(str, arguments)], capture_output=True, text=True,
                          errors="surrogateescape")
    return done.returncode, done.stdout, done.stderr


class AmpcRun(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.out = self.path("out")

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def save(self, name, array, **options):
        np.save(self.path(name), array, **options)
        return self.path(name)

    def succeed(self, *arguments):
        code, text, errors = run(*arguments)
        self.assertEqual((code, errors), (0, ""))
        return text

    def fail_with(self, part, *arguments, code=1):
        got, _, errors = run(*arguments)
        self.assertEqual(got, code, errors)
        self.assertEqual(errors.count("\n"), 1, errors)
        self.assertTrue(errors.startswith("ampc-run: "), errors)
        self.assertIn(part, errors)

    def results(self):
        with open(os.path.join(self.out, "outputs.json")) as file:
            listed = json.load(file)
        self.assertEqual(sorted(os.listdir(self.out)), sorted([o["file"] for o in listed] + ["outputs.json"]))
        return listed, [np.load(os.path.join(self.out, o["file"])) for o in listed]

    def check_types(self):
        """The types model copies: every output is its input."""
        listed, arrays = self.results()
        self.assertEqual([o["name"] for o in listed], list(DTYPES))
        self.assertEqual([o["dtype"] for o in listed], list(DTYPES))
        for (name, (_, dtype, descr)), array, output in zip(DTYPES.items(), arrays, listed):
            with self.subTest(name):
                self.assertEqual(array.dtype, np.dtype(descr))
                self.assertEqual(output["shape"], [2])
                expected = values(dtype).astype(np.int8) if name in ("int4", "int2") else values(dtype)
                self.assertEqual(array.tobytes(), expected.tobytes())

    def calc(self, *arguments, a=None, b=None):
        a = np.arange(8, dtype=np.float32).reshape(2, 4) if a is None else a
        b = np.ones((2, 4), np.float32) if b is None else b
        np.savez(self.path("calc.npz"), a=a, b=b, flags=np.array([True, False, True]), scale=np.float64(0.5))
        text = self.succeed(calc_so, "--input", self.path("calc.npz"), "--output-dir", self.out, *arguments)
        _, (total, chosen) = self.results()
        np.testing.assert_array_equal(total, (a + b) * np.float32(0.5))
        np.testing.assert_array_equal(chosen, [0, 2])
        return text

    # --- What it reads ---

    def test_npy_of_every_type(self):
        inputs = []
        for name, (_, dtype, descr) in DTYPES.items():
            inputs += ["--input", f"{name}={self.save(name + '.npy', values(dtype).view(descr))}"]
        self.succeed(types_so, *inputs, "--output-dir", self.out)
        self.check_types()

    def test_npy_as_ml_dtypes_writes_it(self):
        inputs = []
        for name, (_, dtype, _) in DTYPES.items():
            array = values(dtype)
            inputs += ["--input", f"{name}={self.save(name + '.npy', array)}"]
        self.succeed(types_so, *inputs, "--output-dir", self.out)
        self.check_types()

    def test_protos_with_raw_data(self):
        inputs = []
        for name, (number, dtype, _) in DTYPES.items():
            proto = onnx.numpy_helper.from_array(values(dtype), name)
            self.assertEqual((proto.data_type, proto.HasField("raw_data")), (number, True))
            onnx.save_tensor(proto, self.path(name + ".pb"))
            inputs += ["--input", self.path(name + ".pb")]
        self.succeed(types_so, *inputs, "--output-dir", self.out)
        self.check_types()

    def test_protos_with_typed_fields(self):
        inputs = []
        for name, (number, dtype, _) in DTYPES.items():
            proto = helper.make_tensor("any name", number, [2], list(values(dtype)))
            self.assertFalse(proto.HasField("raw_data"))
            onnx.save_tensor(proto, self.path(name + ".pb"))
            inputs += ["--input", f"{name}={self.path(name + '.pb')}"]
        self.succeed(types_so, *inputs, "--output-dir", self.out)
        self.check_types()

    def test_npz_stored_and_deflated(self):
        for save in (np.savez, np.savez_compressed):
            save(self.path("all.npz"), **{n: values(t).view(d) for n, (_, t, d) in DTYPES.items()})
            self.succeed(types_so, "--input", self.path("all.npz"), "--output-dir", self.out)
            self.check_types()

    def test_orders_and_versions(self):
        a = np.arange(8, dtype=np.float32).reshape(2, 4)
        self.calc(a=np.asfortranarray(a))
        with open(self.path("a.npy"), "wb") as file:
            np.lib.format.write_array(file, np.asfortranarray(a), version=(2, 0))
        with open(self.path("b.npy"), "wb") as file:
            np.lib.format.write_array(file, a, version=(3, 0))
        flags, scale = self.save("f.npy", np.ones(1, bool)), self.save("s.npy", np.float64(1))
        self.succeed(calc_so, "--input", "a=" + self.path("a.npy"), "--input", "b=" + self.path("b.npy"),
                     "--input", "flags=" + flags, "--input", "scale=" + scale, "--output-dir", self.out)
        np.testing.assert_array_equal(self.results()[1][0], 2 * a)

    def test_headers_that_others_write(self):
        # Python 2's longs, double quotes, no padding, '=' for the byte order.
        text = b'{"shape": (1L, 4L), "descr": "=f4", "fortran_order": False}'
        data = np.arange(4, dtype=np.float32)
        with open(self.path("a.npy"), "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data.tobytes())
        b = self.save("b.npy", np.ones((1, 4), np.float32))
        self.succeed(calc_so, "--input", "a=" + self.path("a.npy"), "--input", "b=" + b,
                     "--random-inputs", "n=2", "--output-dir", self.out)

    def test_empty_tensors(self):
        empty = np.zeros((0, 4), np.float32)
        self.calc(a=empty, b=empty)

    def test_larger_transposed_array(self):
        a = np.random.default_rng(0).random((4, 300), np.float32).T
        self.calc(a=a, b=a)

    # --- What it prints and writes ---

    def test_text(self):
        text = self.calc("--repeat", 3, "--threads", 1)
        lines = text.splitlines()
        self.assertEqual(lines[:6], ["input  a: float [2, 4]", "input  b: float [2, 4]", "input  flags: bool [3]",
                                     "input  scale: double []", "output sum: float [2, 4]",
                                     "output chosen: int64 [2]"])
        self.assertRegex(lines[6], r"^time   minimum \d+\.\d{3} ms, median \d+\.\d{3} ms of 3 runs$")

    def test_random_inputs(self):
        outputs = []
        for seed in (1, 1, 2):
            self.succeed(calc_so, "--random-inputs", "batch=5,n=100", "--seed", seed, "--output-dir", self.out)
            _, (total, chosen) = self.results()
            outputs.append((total.tobytes(), chosen.tobytes()))
            self.assertEqual(total.shape, (5, 4))
            self.assertTrue(20 < len(chosen) < 80)
            self.assertTrue(np.all((total >= 0) & (total < 2)))
        self.assertEqual(outputs[0], outputs[1])
        self.assertNotEqual(outputs[0], outputs[2])
        self.succeed(types_so, "--random-inputs")

    def test_profile_table(self):
        text = self.succeed(profiled_so, "--random-inputs", "batch=5,n=1", "--repeat", 3, "--profile")
        empty, head, *rows, last = text[text.index(" runs\n") + 6:].splitlines()
        self.assertEqual((empty, head.split()), ("", "share min us mean us calls kernel ops nodes".split()))
        self.assertRegex(last, r"^sum of minimums \d+\.\d us, \d+\.\d% of the shortest run's \d+\.\d us$")
        numbers = r" *\d+\.\d\d% +\d+\.\d +\d+\.\d +"
        # Each op and node once, and no control character in a name.
        self.assertEqual(len(rows), 3)
        for row in rows:
            self.assertRegex(row, "|".join([numbers + r"1  pointwise_0 +Add +a\+b, again\?\udcff$",
                                            numbers + r"1  pointwise_1 +Mul +scale$", numbers + r"0  copy_2 +$"]))
        self.assertEqual(sorted(row.split()[4] for row in rows), ["copy_2", "pointwise_0", "pointwise_1"])
        shares = [float(row.split("%")[0]) for row in rows]
        self.assertEqual(shares, sorted(shares, reverse=True))
        self.assertAlmostEqual(sum(shares), 100, delta=0.1)

    def test_profile_json(self):
        path = self.path("profile.json")
        text = self.succeed(profiled_so, "--random-inputs", "batch=5,n=1", "--repeat", 3, "--profile-json", path)
        self.assertNotIn("pointwise", text)
        with open(path, encoding="utf-8") as file:
            profile = json.load(file)
        self.assertEqual((profile["model"], profile["runs"]), ("calc", 3))
        launches = {launch["kernel"]: launch for launch in profile["launches"]}
        self.assertEqual([launches[f"{name}"]["calls"] for name in ("pointwise_0", "pointwise_1", "copy_2")],
                         [3, 3, 0])
        self.assertEqual(launches["copy_2"]["mean_us"], 0)
        self.assertEqual(launches["pointwise_1"]["nodes"], [{"name": "scale", "op": "Mul"}])
        self.assertEqual(launches["pointwise_0"]["nodes"][1]["name"], "again\n\ufffd")
        self.assertEqual(launches["pointwise_0"]["operands"], "f32[?,4], f32[?,4], f32[?,4]")

    def test_output_folder_is_replaced_file_by_file(self):
        os.makedirs(self.out)
        with open(os.path.join(self.out, "outputs.json"), "w") as file:
            file.write("old")
        self.calc()

    # --- What it refuses ---

    def test_wrong_usage(self):
        self.fail_with("model is required", code=2)
        for arguments in (["--repeat", 0], ["--repeat", "x"], ["--threads", -1], ["--threads", 257], ["--what"],
                          ["--random-inputs", "batch"], ["--random-inputs", "batch=-1"],
                          ["--random-inputs", "batch=1x"], ["--random-inputs", "batch=99999999999999999999"],
                          ["--random-inputs", "=3"], ["second.so"]):
            with self.subTest(arguments):
                self.fail_with("(see --help)", calc_so, *arguments, code=2)
        code, text, _ = run("--help")
        self.assertEqual(code, 0)
        self.assertIn("Examples:", text)

    def test_models(self):
        self.fail_with("no-such.so", self.path("no-such.so"))
        self.fail_with("not a model compiled by ampc", "/lib/x86_64-linux-gnu/libm.so.6")
        self.fail_with("calc.weights: No such file", weights_so, "--random-inputs", "batch=1,n=1")

    def test_model_without_profile(self):
        for arguments in (["--profile"], ["--profile-json", self.path("profile.json")]):
            self.fail_with("records no times; compile the model with ampc --profile", calc_so, "--random-inputs",
                           "batch=1,n=1", *arguments)
        self.assertFalse(os.path.exists(self.path("profile.json")))

    def test_inputs(self):
        good = self.save("a.npy", np.zeros((2, 4), np.float32))
        self.fail_with('missing inputs: "b" float [batch, 4], "flags" bool [n], "scale" double []',
                       calc_so, "--input", "a=" + good)
        self.fail_with('the model has no input "x"; its inputs: "a", "b", "flags", "scale"',
                       calc_so, "--input", "x=" + good)
        self.fail_with("give it as NAME=", calc_so, "--input", good)
        self.fail_with('input "a" is given twice', calc_so, "--input", "a=" + good, "--input", "a=" + good)
        self.fail_with('input "scale" has elements of float, expected double', calc_so, "--input", "scale=" + good)
        self.fail_with("No such file", calc_so, "--input", "a=" + self.path("none.npy"))
        self.fail_with("expected .npy, .npz or .pb", calc_so, "--input", "a=" + calc_so)
        self.fail_with('input 1 "b": dimension 0, "batch", is 3, but "batch" is 2 in input 0 "a"', calc_so,
                       "--input", "a=" + good, "--input", "b=" + self.save("b.npy", np.zeros((3, 4), np.float32)),
                       "--random-inputs", "n=1")
        np.savez(self.path("two.npz"), a=np.zeros(1), b=np.zeros(1))
        self.fail_with("holds 2 tensors", calc_so, "--input", "a=" + self.path("two.npz"))
        self.fail_with('give --random-inputs n=N', calc_so, "--random-inputs", "batch=2")
        self.fail_with("no input has a dynamic dimension of that name", calc_so, "--random-inputs", "batch=2,n=1,k=3")
        self.fail_with("too large", calc_so, "--random-inputs", f"batch={2**61},n=1")

    def test_broken_npy(self):
        path = self.save("a.npy", np.zeros((2, 4), np.float32))
        with open(path, "rb") as file:
            good = file.read()

        def refuse(content, part):
            with open(path, "wb") as file:
                file.write(content)
            self.fail_with("a.npy: " + part, calc_so, "--input", "a=" + path)

        for length in (0, 3, 9):
            refuse(good[:length], "not a .npy file")
        refuse(good[:20], "truncated")
        refuse(good[:-1], "has 31 bytes of elements, expected 32")
        refuse(good + b"x", "has 33 bytes of elements, expected 32")
        refuse(good.replace(b"NUMPY\x01", b"NUMPY\x04"), "version 4 of the .npy format")
        refuse(good.replace(b"(2, 4)", b"(2 4 )"), "malformed header")
        refuse(good.replace(b"(2, 4)", b"(-2,4)"), "malformed header")
        refuse(good.replace(b"'descr'", b"'decsr'"), "malformed header")
        refuse(good.replace(b"False", b"false"), "malformed header")
        refuse(good.replace(b"'<f4'", b"'>f4'"), "big-endian elements (>f4) are not supported")
        refuse(good.replace(b"'<f4'", b"'<U1'"), "elements of type '<U1' are not supported")
        huge = b"(%d,%d)" % (2**40, 2**40)
        header = good[10:].replace(b"(2, 4)", huge)
        header = header[:header.index(b"\n") + 1]
        refuse(good[:8] + struct.pack("<H", len(header)) + header, f"its shape [{2**40}, {2**40}] is too large")
        np.save(path, np.zeros(2, [("x", "<f4")]))
        self.fail_with("structured elements", calc_so, "--input", "a=" + path)
        np.save(path, np.array([None]), allow_pickle=True)
        self.fail_with("elements of type '|O' are not supported", calc_so, "--input", "a=" + path)

    def test_broken_npz(self):
        path = self.path("a.npz")
        np.savez_compressed(path, a=np.arange(8, dtype=np.float32).reshape(2, 4))
        with open(path, "rb") as file:
            good = bytearray(file.read())

        def refuse(content):
            with open(path, "wb") as file:
                file.write(content)
            self.fail_with("a.npz", calc_so, "--input", path)

        refuse(b"")
        refuse(good[:-30])
        flipped = bytearray(good)
        flipped[60] ^= 0x55  # In the compressed data.
        refuse(flipped)
        # Sizes that the archive cannot hold take no memory.
        central = good.index(b"PK\x01\x02")
        for size in (2**20, 2**32 - 16):
            claims = bytearray(good)
            claims[central + 24 : central + 28] = struct.pack("<I", size)
            refuse(claims)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
            archive.writestr("a.npy", b"0" * 2**20)
        self.fail_with("is neither stored nor deflated", calc_so, "--input", path)

    def test_broken_protos(self):
        path = self.path("a.pb")

        def refuse(proto, part):
            content = proto if isinstance(proto, bytes) else proto.SerializeToString()
            with open(path, "wb") as file:
                file.write(content)
            self.fail_with("a.pb: " + part, calc_so, "--input", "a=" + path)

        good = onnx.numpy_helper.from_array(np.zeros((2, 4), np.float32), "a")
        refuse(b"", "not a serialized TensorProto")
        refuse(good.SerializeToString()[:-3], "not a serialized TensorProto")

        def changed(**fields):
            proto = TensorProto()
            proto.CopyFrom(good)
            for name, value in fields.items():
                setattr(proto, name, value)
            return proto

        few = "does not hold as many elements as its shape [2, 4] says"
        refuse(changed(raw_data=b"abc"), few)
        refuse(helper.make_tensor("a", TensorProto.FLOAT, [2, 4], [0.0] * 8).SerializeToString().replace(
            b"\x08\x02\x08\x04", b"\x08\x02\x08\x03"), "does not hold as many elements as its shape [2, 3] says")
        refuse(changed(data_type=TensorProto.INT4), few)
        refuse(changed(data_type=99), "has unknown data_type 99")
        refuse(helper.make_tensor("a", TensorProto.STRING, [1], [b"x"]), "is a tensor of strings")
        refuse(changed(data_location=TensorProto.EXTERNAL), "its data is in another file")
        huge = helper.make_tensor("a", TensorProto.FLOAT, [0], [])
        huge.dims[:] = [2**40, 2**20]
        refuse(huge, f"does not hold as many elements as its shape [{2**40}, {2**20}] says")
        huge.dims[:] = [2**40, 2**40]
        refuse(huge, f"its shape [{2**40}, {2**40}] is negative or too large")
        huge.dims[:] = [2**40, 2**20, 0]  # No elements, and a wrong rank.
        with open(path, "wb") as file:
            file.write(huge.SerializeToString())
        self.fail_with("rank is 3, expected 2", calc_so, "--input", "a=" + path, "--random-inputs", "batch=2,n=4")
        negative = changed()
        negative.dims[0] = -2
        refuse(negative, "its shape [-2, 4] is negative or too large")

    def test_outputs(self):
        blocked = self.path("file")
        open(blocked, "w").close()
        self.fail_with("file", calc_so, "--random-inputs", "batch=1,n=1", "--output-dir", blocked)
        os.makedirs(os.path.join(self.out, "1.npy"))
        self.fail_with("1.npy", calc_so, "--random-inputs", "batch=1,n=1", "--output-dir", self.out)
        self.assertEqual(sorted(os.listdir(self.out)), ["0.npy", "1.npy"])  # No temporary stays.


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
