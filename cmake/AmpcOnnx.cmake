# libonnx, which scripts/setup.sh builds into .deps/onnx.

find_package(Protobuf REQUIRED)
find_package(ONNX CONFIG REQUIRED HINTS ${PROJECT_SOURCE_DIR}/.deps/onnx)
