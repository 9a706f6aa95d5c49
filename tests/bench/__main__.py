"""``python -m tests.bench [MODEL ...]`` times inference, ``python -m tests.bench --kernels [MODEL ...]`` the kernels.

Both beside the other engines that are installed, in one run. Without models: the networks in the onnx wheel, and for
the kernels some small models more.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def main() -> None:
    """Reads the command line and prints the tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("models", nargs="*", type=Path, help=".onnx files or directories of them")
    parser.add_argument("--kernels", action="store_true", help="time running models, not inference")
    parser.add_argument("--scale", action="store_true", help="time repeated layers of 1,000 to 100,000 nodes")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    if arguments.kernels and any(os.environ.get(name) != "1" for name in THREADS):
        # ONNX Runtime gets one thread, so NumPy's BLAS does too; it reads this when it is loaded.
        environment = {**os.environ, **dict.fromkeys(THREADS, "1")}
        os.execve(sys.executable, [sys.executable, "-m", "tests.bench", *sys.argv[1:]], environment)
    paths = [p for given in arguments.models for p in (sorted(given.glob("*.onnx")) if given.is_dir() else [given])]
    if arguments.scale:
        from tests.bench import scale

        scale.report(arguments.rounds)
    elif arguments.kernels:
        from tests.bench import kernels

        kernels.report(paths or light_models(), arguments.rounds, small=not paths)
    else:
        from tests.bench import inference

        inference.report(paths or light_models(), arguments.rounds)


def light_models() -> list[Path]:
    """The networks that the onnx wheel carries."""
    import onnx

    return sorted((Path(onnx.__file__).parent / "backend/test/data/light").glob("*.onnx"))


if __name__ == "__main__":
    main()
