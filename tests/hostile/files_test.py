"""ampc between a hostile file system and a hostile user: special files, full disks,
closed streams, signals, and options that make no sense.

usage: files_test.py BUILD [unittest's arguments]
"""

import ctypes
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

import harness
from harness import model, node, tensor, value

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
AMPC = BUILD / "bin" / "ampc"
GOOD = model([node("Relu")], [value("x", ("n", 4))], [value("y", ("n", 4))])
# A weight that does not fit where little room is left.
LARGE = model(
    [node("Add", "x w")],
    [value("x", (2**18,))],
    [value("y", (2**18,))],
    [tensor("w", [2**18], raw_data=np.arange(2**18, dtype=np.float32).tobytes())],
)
# Weights that are computed when it is compiled.
FOLDED = model(
    [node("Transpose", "w", "t"), node("MatMul", "x t")],
    [value("x", (4, 32))],
    [value("y", (4, 64))],
    [tensor("w", [64, 32], raw_data=np.arange(2**11, dtype=np.float32).tobytes())],
)


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ampc-files-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.good = self.save("good.onnx", GOOD)
        self.out = self.folder / "out.so"

    def save(self, name, proto):
        path = self.folder / name
        path.write_bytes(proto.SerializeToString())
        return path

    def check(self, expect, *arguments, code=1, left=(), **options):
        """Ends as it should and leaves only `left` beside what was there."""
        before = harness.listing(self.folder)
        got, text = harness.execute([AMPC, *arguments], cwd=self.folder, **options)
        problem = harness.judge(got, text, expect, code)
        self.assertIsNone(problem, f"ampc {' '.join(map(str, arguments))}")
        new = {os.path.relpath(p, self.folder) for p in harness.listing(self.folder) - before}
        self.assertEqual(new, set(left))

    # --- The model is no file ---

    def test_special_files_as_model(self):
        fifo = self.folder / "pipe.onnx"
        os.mkfifo(fifo)
        for path in (self.folder, fifo, "/dev/zero", "/dev/null", "/proc/self/mem"):
            with self.subTest(path):
                self.check("is not a regular file|is empty|cannot|is not", path, "-o", self.out)
                self.check("is not a regular file|is empty|cannot|is not", "info", path)

    def test_special_files_by_suffix(self):
        for suffix in (".mlir", ".onnxtxt", ".onnx"):
            folder = self.folder / f"folder{suffix}"
            folder.mkdir()
            fifo = self.folder / f"pipe{suffix}"
            os.mkfifo(fifo)
            for path in (folder, fifo, self.folder / f"none{suffix}"):
                with self.subTest(path.name):
                    self.check(path.name, path, "-o", self.out)
                    self.check(path.name, "info", path)

    def plain_user(self):
        """Options for `check` that make permissions count: root has them all."""
        if os.geteuid():
            return {}
        self.folder.chmod(0o755)
        return {"user": 65534, "group": 65534}

    def test_unreadable_model(self):
        self.good.chmod(0)
        self.check("cannot.*Permission denied", self.good, "-o", self.out, **self.plain_user())
        self.check("cannot.*Permission denied", "info", self.good, **self.plain_user())
        self.check("cannot.*Permission denied", "check", self.good, **self.plain_user())

    def test_broken_libraries(self):
        self.check("", self.good, "-o", self.out, left=["out.so"])
        content = self.out.read_bytes()
        broken = self.folder / "broken.so"
        for length in (4, 20, 64, 1000, len(content) // 2, len(content) - 1):
            broken.write_bytes(content[:length])
            self.check("broken.so", "info", broken)
        self.check("no model that ampc compiled", "info", "/lib/x86_64-linux-gnu/libm.so.6")

    # --- The output ---

    def test_output_is_the_input(self):
        library = self.folder / "in.mlir"
        self.check("", self.good, "-o", library, left=["in.mlir"])
        content = library.read_bytes()
        (self.folder / "link.mlir").symlink_to(library)
        os.link(library, self.folder / "hard.mlir")
        (self.folder / "sub").mkdir()
        for name in ("in.mlir", "./in.mlir", "sub/../in.mlir", "link.mlir", "hard.mlir"):
            with self.subTest(name):
                self.check("overwrite", library, "-o", name)
        self.check("overwrite", library, "-o", self.out, "--report", "link.mlir")
        self.assertEqual(library.read_bytes(), content)

    def test_two_outputs_in_one_file(self):
        self.check("--report", self.good, "-o", self.out, "--report", self.out)
        self.check("--report", self.good, "-o", self.out, "--report", str(self.out) + ".weights",
                   "--external-weights")

    def test_output_would_replace_external_data(self):
        weight = tensor("w", [512], data_location=1)
        weight.external_data.add(key="location", value="out.so.weights")
        path = self.save("external.onnx", model([node("Add", "x w")], [value("x", (512,))],
                                                [value("y", (512,))], [weight]))
        data = np.arange(512, dtype=np.float32).tobytes()
        (self.folder / "out.so.weights").write_bytes(data)
        self.check("", path, "-o", self.out, "--external-weights", left=["out.so"])
        self.assertEqual(len((self.folder / "out.so.weights").read_bytes()), 2048)

    def test_output_is_special(self):
        (self.folder / "folder.so").mkdir()
        os.mkfifo(self.folder / "pipe.so")
        (self.folder / "dangling.so").symlink_to(self.folder / "nowhere" / "x.so")
        for name in ("folder.so", "pipe.so", "none/out.so", "good.onnx/out.so", "out", "out.xyz", "", "a" * 300 + ".so"):
            with self.subTest(name):
                # No format is wrong usage, and the disk is not.
                self.check(".", self.good, "-o", name, code=1 if name.endswith(".so") else 2)
        self.check("/dev/null", self.good, "-o", "/dev/null", code=2)
        self.check("cannot write", self.good, "-o", "/proc/out.so")

    def test_symlinked_output_is_replaced(self):
        """As linkers do: what a link points to is not touched."""
        target = self.folder / "target"
        target.write_bytes(b"dear")
        self.out.symlink_to(target)
        self.check("", self.good, "-o", self.out)
        self.assertFalse(self.out.is_symlink())
        self.assertEqual(target.read_bytes(), b"dear")

    def test_unwritable_folder(self):
        folder = self.folder / "locked"
        folder.mkdir(mode=0o555)
        self.check("cannot write.*Permission denied", self.good, "-o", folder / "out.so", **self.plain_user())

    def test_file_size_limit(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (2**16, 2**16))

        large = self.save("large.onnx", LARGE)
        for name in ("out.so", "out.o", "out.mlir"):
            with self.subTest(name):
                done = subprocess.run([AMPC, large, "-o", self.folder / name], preexec_fn=limit,
                                      capture_output=True, text=True)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("cannot write", done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), ["good.onnx", "large.onnx"])

    @unittest.skipIf(os.geteuid() != 0, "mounting a file system takes root")
    def test_full_disk(self):
        large = self.save("large.onnx", LARGE)
        disk = self.folder / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", disk]).returncode:
            self.skipTest("no file system can be mounted here")
        self.addCleanup(subprocess.run, ["umount", disk])
        for name in ("out.so", "out.o", "out.mlir", "out.ll"):
            for options in ((), ("--external-weights",)):
                with self.subTest(name=name, options=options):
                    if name == "out.ll" and not options:
                        continue  # Has no weights, and is small.
                    if name == "out.mlir" and options:
                        continue
                    self.check("cannot write .*disk.*[Nn]o space", large, "-o", disk / name, *options)
        # Temporary files lie beside the output, so a full /tmp is no obstacle.
        self.check("", large, "-o", self.out, left=["out.so"], env={**os.environ, "TMPDIR": str(disk)})

    def test_no_tmp_at_all(self):
        """Also where weights are computed ahead, by a library of their own."""
        folded = self.save("folded.onnx", FOLDED)
        for path in (self.good, folded):
            self.out.unlink(missing_ok=True)
            self.check("", path, "-o", "out.so", left=["out.so"],
                       env={**os.environ, "TMPDIR": "/nonexistent"})

    def test_no_linker(self):
        """It is looked for in LLVM's own folder too."""
        found = os.path.exists("/usr/lib/llvm-19/bin/ld.lld")
        self.check("" if found else "ld.lld", self.good, "-o", self.out, left=["out.so"] * found,
                   env={"PATH": "/nonexistent"})

    # --- Streams and signals ---

    def test_closed_streams(self):
        for closed in ((0,), (1,), (2,), (0, 1), (0, 1, 2)):
            with self.subTest(closed):
                def close():
                    for stream in closed:
                        os.close(stream)

                self.out.unlink(missing_ok=True)
                done = subprocess.run([AMPC, self.good, "-o", self.out], preexec_fn=close)
                self.assertEqual(done.returncode, 0)
                # What is written is a library, not what went to a stream.
                self.assertEqual(self.out.read_bytes()[:4], b"\x7fELF")
                done = subprocess.run([AMPC, self.folder / "none.onnx", "-o", self.out], preexec_fn=close,
                                      stderr=subprocess.DEVNULL if 2 not in closed else None)
                self.assertEqual(done.returncode, 1)
                done = subprocess.run([AMPC, "info", self.good], preexec_fn=close, stdout=subprocess.DEVNULL if 1 not in closed else None)
                self.assertIn(done.returncode, (0, 1))

    def test_full_standard_output(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([AMPC, "info", self.good], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, "^ampc: error: .*[Nn]o space")

    def test_signals(self):
        long = self.save("long.onnx", model(
            [node("Softmax", "x" if i == 0 else f"v{i}", f"v{i + 1}") for i in range(1500)],
            outputs=["v1500"]))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            for delay in (0.3, 1.5):
                process = subprocess.Popen([AMPC, long, "-o", self.out, "--report", self.folder / "r.json"],
                                           stderr=subprocess.PIPE)
                time.sleep(delay)
                process.send_signal(number)
                process.communicate(timeout=120)
                # A signal may come after all is done, or between the two files.
                if self.out.exists():
                    ctypes.CDLL(str(self.out)).ampc_entry_v1
                    self.out.unlink()
                if (self.folder / "r.json").exists():
                    json.loads((self.folder / "r.json").read_text())
                    (self.folder / "r.json").unlink()
                self.assertIn(process.returncode, (-number, 128 + number, 1, 0))
                self.assertEqual(sorted(os.listdir(self.folder)), ["good.onnx", "long.onnx"])

    def test_two_processes_one_output(self):
        for _ in range(3):
            processes = [subprocess.Popen([AMPC, self.good, "-o", self.out]) for _ in range(4)]
            self.assertEqual([process.wait() for process in processes], [0] * 4)
            ctypes.CDLL(str(self.out)).ampc_entry_v1
        self.assertEqual(sorted(os.listdir(self.folder)), ["good.onnx", "out.so"])

    # --- Options ---

    def test_wrong_usage(self):
        for arguments in (
            [], [self.good], ["-o", self.out], [self.good, self.good, "-o", self.out],
            [self.good, "-o"], [self.good, "-o", self.out, "--nonsense"],
            [self.good, "-o", self.out, "--dim"], [self.good, "-o", self.out, "--dim", "n"],
            [self.good, "-o", self.out, "--dim", "n="], [self.good, "-o", self.out, "--dim", "=3"],
            [self.good, "-o", self.out, "--dim", "n=-1"], [self.good, "-o", self.out, "--dim", "n=x"],
            [self.good, "-o", self.out, "--dim", "n=99999999999999999999"],
            [self.good, "-o", self.out, "--dim", "n=1", "--dim", "n=2"],
            [self.good, "-o", self.out, "--max-nodes=0"], [self.good, "-o", self.out, "--max-nodes=x"],
            [self.good, "-o", self.out, "-o", self.out],
            ["info"], ["info", self.good, self.good],
            [self.good, "-o", self.out, "--precision="], [self.good, "-o", self.out, "--target="],
        ):
            with self.subTest(arguments):
                self.check("see ampc --help", *arguments, code=2)

    def test_values_of_options(self):
        for expect, *arguments in (
            ("no dimension 'k'; its dimensions are: n", "--dim", "k=1"),
            ("larger than any memory", "--dim", f"n={2**62}"),
            ("none/r.json", "--report=none/r.json"), ("regular", "--report=/dev/null"),
        ):
            with self.subTest(arguments):
                self.check(expect, self.good, "-o", self.out, *arguments)
        # Values that no model could be compiled with.
        self.check("f32", self.good, "-o", self.out, "--precision=f17", code=2)
        self.check("nothing", self.good, "-o", self.out, "--target=nothing", code=2)


if __name__ == "__main__":
    unittest.main()
