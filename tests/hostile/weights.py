"""Initializers and external data that are malformed, missing or out of bounds."""

import os
import pathlib

import numpy as np
from onnx import SparseTensorProto, TensorProto

from harness import Case, model, node, tensor, value


def add(*initializers, shape=(512,), **more):
    return model(
        [node("Add", "x w")],
        more.pop("inputs", [value("x", shape)]),
        [value("y", ())],
        initializers,
        **more,
    )


def external(prepare=None, **entries):
    """x + w where w lies outside; `w.bin` has its 2048 bytes."""

    def write(folder: pathlib.Path) -> pathlib.Path:
        np.arange(512, dtype=np.float32).tofile(folder / "w.bin")
        if prepare:
            prepare(folder)
        weight = tensor("w", [512], data_location=TensorProto.EXTERNAL)
        for key, text in entries.items():
            weight.external_data.add(key=key, value=str(text))
        path = folder / "model.onnx"
        path.write_bytes(add(weight).SerializeToString())
        return path

    return write


def two_overlapping(folder: pathlib.Path) -> pathlib.Path:
    np.arange(768, dtype=np.float32).tofile(folder / "w.bin")
    weights = []
    for name, offset in (("w", 0), ("v", 1024)):
        weight = tensor(name, [512], data_location=TensorProto.EXTERNAL)
        for key, text in (("location", "w.bin"), ("offset", offset), ("length", 2048)):
            weight.external_data.add(key=key, value=str(text))
        weights.append(weight)
    proto = model(
        [node("Add", "x w", "a"), node("Mul", "a v")],
        [value("x", (512,))],
        [value("y", (512,))],
        weights,
    )
    path = folder / "model.onnx"
    path.write_bytes(proto.SerializeToString())
    return path


def outside(folder):
    np.arange(512, dtype=np.float32).tofile(folder.parent / "secret.bin")


def link(folder):
    outside(folder)
    os.symlink("../secret.bin", folder / "link.bin")


def link_folder(folder):
    outside(folder)
    os.symlink("..", folder / "up")


def hard_link(folder):
    outside(folder)
    os.link(folder.parent / "secret.bin", folder / "hard.bin")


def sparse():
    proto = add(shape=(4,))
    proto.graph.sparse_initializer.append(
        SparseTensorProto(
            values=tensor("w", [1], [1]),
            indices=tensor("i", [1], [2], TensorProto.INT64),
            dims=[4],
        )
    )
    return proto


def repeated_and_reduced():
    """16 KB times 2^22, if it were computed ahead."""
    return model(
        [node("Tile", "w r", "t"), node("Relu", "t", "u"), node("ReduceMax", "u", "m", keepdims=0),
         node("Add", "x m")],
        [value("x", (4,))],
        [value("y", (4,))],
        [tensor("w", [4096], raw_data=np.arange(4096, dtype=np.float32).tobytes()),
         tensor("r", [1], [2**22], TensorProto.INT64)],
    )


CASES = [
    Case("repeated_and_reduced", repeated_and_reduced()),
    Case("data_missing", add(tensor("w", [512])), "'w'.*0"),
    Case("data_short", add(tensor("w", [4], [1, 2, 3]), shape=(4,)), "'w'"),
    Case("data_long", add(tensor("w", [2], [1, 2, 3]), shape=(2,)), "'w'"),
    Case("raw_short", add(tensor("w", [2], raw_data=b"1234567"), shape=(2,)), "'w'"),
    Case("raw_and_typed", add(tensor("w", [1], [1.0], raw_data=b"1234"), shape=(1,)), "'w'"),
    Case("wrong_field", add(tensor("w", [1], int64_data=[1]), shape=(1,)), "'w'"),
    Case("negative_size", add(tensor("w", [-4], [1])), "'w'.*-4|'w'.*shape"),
    Case("sizes_overflow", add(tensor("w", [2**32, 2**32, 2**32], [1])), "'w'"),
    Case("sizes_overflow_to_zero", add(tensor("w", [2**32, 2**32])), "'w'"),
    Case("zero_times_huge", add(tensor("w", [0, 2**40, 2**40]), shape=(1,)), "'w'"),
    Case("huge_times_zero", add(tensor("w", [2**40, 2**40, 0]), shape=(1,)), "'w'"),
    Case("size_int64_max", add(tensor("w", [2**63 - 1], [1])), "'w'"),
    Case("element_type_missing", add(TensorProto(name="w", dims=[1], float_data=[1])), "'w'"),
    Case("element_type_99", add(TensorProto(name="w", dims=[1], data_type=99, raw_data=b"1")), "'w'"),
    Case("strings", add(TensorProto(name="w", dims=[1], data_type=8, string_data=[b"a"])), "w.*string|Add"),
    Case("without_name", add(tensor("", [1], [1]), tensor("w", [1], [1]), shape=(1,)), "initializer.*name"),
    Case("twice", add(tensor("w", [1], [1]), tensor("w", [1], [2]), shape=(1,)), "'w'"),
    Case("segment", add(tensor("w", [1], [1], segment=TensorProto.Segment(begin=0, end=1)), shape=(1,)), "'w'|segment"),
    Case("sparse", sparse(), "'w'"),
    # The initializer of an input: frozen, or of another type.
    Case("shadows_input", add(tensor("w", [4], [1, 2, 3, 4]), inputs=[value("x", (4,)), value("w", (4,))], ir_version=3)),
    Case("shadows_input_type", add(tensor("w", [4], [1, 2, 3, 4]), inputs=[value("x", (4,)), value("w", (4,), 7)], ir_version=3), "'w'"),
    Case("shadows_input_shape", add(tensor("w", [4], [1, 2, 3, 4]), inputs=[value("x", (4,)), value("w", (5,))], ir_version=3), "'w'"),
    Case("redefined_by_node", model([node("Neg", "x", "w"), node("Add", "x w")], [value("x", (1,))],
         [value("y", (1,))], [tensor("w", [1], [1])]), "'w'"),
    Case("bool_not_0_or_1", model([node("Where", "c x x")], [value("x", (2,))], [value("y", (2,))],
         [TensorProto(name="c", dims=[2], data_type=9, raw_data=b"\x02\xff")])),
    # External data.
    Case("external_good", external(location="w.bin", offset=0, length=2048)),
    Case("external_overlapping", two_overlapping),
    Case("external_hard_link", external(hard_link, location="hard.bin"), "hard.bin"),
    Case("external_absolute", external(location="/etc/passwd"), "'?w'?.*absolute"),
    Case("external_parent", external(outside, location="../secret.bin"), "outside the directory|'\\.\\.'"),
    Case("external_parent_inside", external(outside, location="a/../../secret.bin"), "secret.bin"),
    Case("external_symlink", external(link, location="link.bin"), "symbolic link"),
    Case("external_symlink_folder", external(link_folder, location="up/secret.bin"), "symbolic link|outside"),
    Case("external_missing", external(location="none.bin"), "none.bin"),
    Case("external_directory", external(lambda f: (f / "d").mkdir(), location="d"), "'d'|/d"),
    Case("external_fifo", external(lambda f: os.mkfifo(f / "p"), location="p"), "/p|'p'"),
    Case("external_empty_file", external(lambda f: (f / "e").touch(), location="e"), "'e'"),
    Case("external_no_location", external(offset=0), "location"),
    Case("external_empty_location", external(location=""), "location"),
    Case("external_nul_in_location", external(location="w.bin\0x"), "location"),
    Case("external_offset_past_end", external(location="w.bin", offset=2049), "'w'.*2049"),
    Case("external_offset_negative", external(location="w.bin", offset=-4), "'w'.*-4"),
    Case("external_offset_overflow", external(location="w.bin", offset=2**64 - 1024), "'w'"),
    Case("external_offset_beyond_64_bit", external(location="w.bin", offset=2**64), "'w'"),
    Case("external_offset_text", external(location="w.bin", offset="four"), "'w'.*four"),
    Case("external_length_short", external(location="w.bin", length=4), "'w'.*4"),
    Case("external_length_long", external(location="w.bin", length=2**63), "'w'"),
    Case("external_length_negative", external(location="w.bin", length=-1), "'w'.*-1"),
    Case("external_itself", external(location="model.onnx"), "'w'"),
]
