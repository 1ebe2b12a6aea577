import os

import lit.formats

config.name = "ampc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".py", ".onnxtxt"]
config.excludes = ["Inputs", "lit.cfg.py", "lit.site.cfg.py"]

# Tools are named by their full paths, so that a test can never pick up another
# build's. %python has the onnx package, with which tests write their models.
for name, folder in {
    "amp-opt": config.ampc_tools_dir,
    "ampc": config.ampc_tools_dir,
    "ampc-tune": config.ampc_tools_dir,
    "ampc-run": config.ampc_tools_dir,
    "mlir-opt": config.llvm_tools_dir,
    "FileCheck": config.llvm_tools_dir,
    "count": config.llvm_tools_dir,
    "not": config.llvm_tools_dir,
    "split-file": config.llvm_tools_dir,
}.items():
    # `ampc` as a command, not as a part of another word or path.
    config.substitutions.append(
        (rf"(?<![\w./%-]){name}(?![\w./=-])", os.path.join(folder, name))
    )
config.substitutions.append(("%python", config.ampc_python))
config.substitutions.append(("%ampc_lib", config.ampc_lib_dir))
config.substitutions.append(("%ampc_include", config.ampc_include_dir))
