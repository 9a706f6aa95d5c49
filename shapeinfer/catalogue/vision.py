"""Codes of convolutions, pools, normalisations and image operators."""

from shapeinfer.diagnostics import Severity, define

PADS_AND_AUTO_PAD = define(
    "S430",
    "pads-and-auto-pad",
    Severity.ERROR,
    "pads {pads} and auto_pad {auto_pad} are both given, and they exclude each other",
    explanation=(
        "auto_pad other than NOTSET chooses the pads itself. Where both are given, runtimes differ: some take the pads, "
        "some ignore them, and some refuse the model. Pads of zero agree with VALID and are allowed there."
    ),
    hint="remove one of the two",
    bad=(
        "g (float[1, 1, 8, 8] x) => (y) "
        '{ y = MaxPool <kernel_shape = [2, 2], pads = [1, 1, 1, 1], auto_pad = "SAME_UPPER"> (x) }'
    ),
    good='g (float[1, 1, 8, 8] x) => (y) { y = MaxPool <kernel_shape = [2, 2], auto_pad = "SAME_UPPER"> (x) }',
)
