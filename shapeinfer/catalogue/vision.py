"""Codes of convolutions, pools, normalisations and image operators."""

from shapeinfer.diagnostics import Severity, define

PADS_AND_AUTO_PAD = define(
    "S430",
    "pads-and-auto-pad",
    Severity.ERROR,
    "pads {pads} and auto_pad {auto_pad} are both given, and they exclude each other",
    explanation=(
        "auto_pad other than NOTSET chooses the pads itself. Where both are given, runtimes differ: some take the "
        "pads, some ignore them, and some refuse the model. Pads of zero agree with VALID and are allowed there."
    ),
    hint="remove one of the two",
    bad=(
        "g (float[1, 1, 8, 8] x) => (y) "
        '{ y = MaxPool <kernel_shape = [2, 2], pads = [1, 1, 1, 1], auto_pad = "SAME_UPPER"> (x) }'
    ),
    good='g (float[1, 1, 8, 8] x) => (y) { y = MaxPool <kernel_shape = [2, 2], auto_pad = "SAME_UPPER"> (x) }',
)
RESIZE_TARGET = define(
    "S431",
    "resize-target",
    Severity.ERROR,
    "{found} of scales and sizes is given, but exactly one must be",
    explanation="Resize needs to know the new sizes once. An empty tensor counts as not given.",
    hint="leave the other one out with an empty name, or, in opset 11 and 12, pass an empty tensor for it",
    bad=(
        "g (float[1, 1, 8, 8] x) => (y) <float[4] scales = {1, 1, 2, 2}, int64[4] sizes = {1, 1, 16, 16}> "
        "{ y = Resize (x, , scales, sizes) }"
    ),
    good="g (float[1, 1, 8, 8] x) => (y) <float[4] scales = {1, 1, 2, 2}> { y = Resize (x, , scales) }",
)
