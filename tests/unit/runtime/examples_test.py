"""The examples of runtime/examples, and what Python's side of DLPack adds: numpy's strides,
read-only and empty arrays, threads.

usage: examples_test.py EXAMPLES AFFINE_SO CALC_SO C_EXAMPLE CXX_EXAMPLE
"""
import importlib.util
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np

examples, affine, calc, c_example, cxx_example = sys.argv[1:6]


def load_example(library):
    """A module of its own for each library: the example keeps one table."""
    spec = importlib.util.spec_from_file_location("run", examples + "/run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module, module.load(library)


def output_of(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


class Examples(unittest.TestCase):
    def test_c(self):
        self.assertEqual(output_of(c_example, affine), (0, "3 5 7\n9 11 13\n", ""))
        code, _, errors = output_of(c_example, "./nothing.so")
        self.assertEqual(code, 1)
        self.assertIn("nothing.so", errors)
        code, _, errors = output_of(c_example, calc)
        self.assertEqual((code, errors), (1, "1 inputs given, expected 4\n"))

    def test_cxx(self):
        self.assertEqual(output_of(cxx_example, affine), (0, "2 2 2 \n2 2 2 2 2 2 \n", ""))

    def test_ten_lines(self):
        code, text, errors = output_of(sys.executable, examples + "/ten_lines.py", affine)
        self.assertEqual((code, text, errors), (0, "0 [[3. 3. 3.]\n [3. 3. 3.]]\n", ""))

    def test_python_from_the_shell(self):
        with tempfile.NamedTemporaryFile(suffix=".npy") as file:
            np.save(file, np.arange(6, dtype=np.float32).reshape(2, 3))
            file.flush()
            code, text, errors = output_of(sys.executable, examples + "/run.py", affine, file.name)
        self.assertEqual((code, text, errors), (0, "[[ 1.  3.  5.]\n [ 7.  9. 11.]]\n", ""))

    def test_numpy_arrays(self):
        module, context = load_example(affine)
        x = np.arange(60, dtype=np.float32).reshape(10, 6)
        for view in (x[:, :3], x[::-2, ::2], x[:3, :].T, np.asfortranarray(x[:, 3:]), x[:0, :3]):
            (y,) = module.run(context, view)
            np.testing.assert_array_equal(y, 2 * view + 1)
            self.assertEqual(y.dtype, np.float32)

    def test_outputs_outlive_later_runs(self):
        module, context = load_example(affine)
        kept = [module.run(context, np.full((4, 3), i, np.float32))[0] for i in range(20)]
        for i, y in enumerate(kept):
            np.testing.assert_array_equal(y, np.full((4, 3), 2 * i + 1))

    def test_bool_and_scalar(self):
        module, context = load_example(calc)
        a = np.ones((2, 4), np.float32)
        total, chosen = module.run(context, a, a, np.array([True, False, True]), np.array(3.0))
        np.testing.assert_array_equal(total, 6 * a)
        np.testing.assert_array_equal(chosen, [0, 2])

    def test_errors(self):
        module, context = load_example(affine)
        with self.assertRaisesRegex(RuntimeError, "dtype is float64, expected float32"):
            module.run(context, np.zeros((2, 3)))
        with self.assertRaisesRegex(RuntimeError, "dimension 1 is 4, expected 3"):
            module.run(context, np.zeros((2, 4), np.float32))
        np.testing.assert_array_equal(module.run(context, np.zeros((1, 3), np.float32))[0], [[1, 1, 1]])

    def test_threads(self):
        module, _ = load_example(affine)
        wrong = []

        def work(seed):
            context = module.load(affine)
            for i in range(50):
                x = np.full((7, 3), seed * 1000 + i, np.float32)
                if not np.array_equal(module.run(context, x)[0], 2 * x + 1):
                    wrong.append((seed, i))

        threads = [threading.Thread(target=work, args=(t,)) for t in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
