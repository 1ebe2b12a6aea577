"""Takes the ONNX models out of wheels: extract_models.py WHEELS OUTPUT.

Writes OUTPUT/<name>.onnx under the names that tests and documents use.
"""

import pathlib
import sys
import zipfile

MODELS = {
    "ch_PP-OCRv4_det": (
        "rapidocr_onnxruntime",
        "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx",
    ),
    "ch_PP-OCRv4_rec": (
        "rapidocr_onnxruntime",
        "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx",
    ),
    "ch_ppocr_mobile_v2.0_cls": (
        "rapidocr_onnxruntime",
        "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx",
    ),
    "magika": ("magika", "magika/models/standard_v3_3/model.onnx"),
    "nudenet_320n": ("nudenet", "nudenet/320n.onnx"),
    "basic_pitch": ("basic_pitch", "basic_pitch/saved_models/icassp_2022/nmp.onnx"),
    "PP-OCRv6_det": ("rapidocr", "rapidocr/models/PP-OCRv6_det_small.onnx"),
    "PP-OCRv6_rec": ("rapidocr", "rapidocr/models/PP-OCRv6_rec_small.onnx"),
    "ddddocr": ("ddddocr", "ddddocr/common.onnx"),
    "ddddocr_det": ("ddddocr", "ddddocr/common_det.onnx"),
    "silero_vad": ("silero_vad", "silero_vad/data/silero_vad.onnx"),
    "tashkeel": ("piper_tts", "piper/tashkeel/model.onnx"),
    "nakdimon": ("piper_tts", "piper/hebrew/nakdimon.onnx"),
    "smart_turn": (
        "pipecat_ai",
        "pipecat/audio/turn/smart_turn/data/smart-turn-v3.2-cpu.onnx",
    ),
    "plcmos": ("speechmos", "speechmos/plcmos_models/plcmos_v2.onnx"),
    "swift_f0": ("swift_f0", "swift_f0/model.onnx"),
}


def main(wheels: pathlib.Path, output: pathlib.Path) -> None:
    output.mkdir(parents=True)
    for name, (package, member) in MODELS.items():
        (wheel,) = wheels.glob(f"{package}-*.whl")
        with zipfile.ZipFile(wheel) as archive:
            (output / f"{name}.onnx").write_bytes(archive.read(member))
        print(f"{output / name}.onnx")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
