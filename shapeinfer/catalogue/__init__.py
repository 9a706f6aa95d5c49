"""The catalogue of codes: every word that a finding can say.

``M`` model files, ``G`` graphs, ``T`` types and attributes, ``S`` shapes, ``C`` declared types, ``L`` lints, ``R`` runs,
``U`` usage.
A model in ``bad`` or ``good`` is in ONNX's text form; a header that only names a version is left out (:func:`example`).
"""

from shapeinfer.catalogue.contract import *  # noqa: F403 - one namespace: a code is added in one place only
from shapeinfer.catalogue.control import *  # noqa: F403
from shapeinfer.catalogue.elementwise import *  # noqa: F403
from shapeinfer.catalogue.files import *  # noqa: F403
from shapeinfer.catalogue.graphs import *  # noqa: F403
from shapeinfer.catalogue.lint_declared import *  # noqa: F403
from shapeinfer.catalogue.lint_dynamic import *  # noqa: F403
from shapeinfer.catalogue.lint_numbers import *  # noqa: F403
from shapeinfer.catalogue.lint_redundant import *  # noqa: F403
from shapeinfer.catalogue.lint_versions import *  # noqa: F403
from shapeinfer.catalogue.runs import *  # noqa: F403
from shapeinfer.catalogue.shapes import *  # noqa: F403
from shapeinfer.catalogue.signal import *  # noqa: F403
from shapeinfer.catalogue.squeeze import *  # noqa: F403
from shapeinfer.catalogue.typing import *  # noqa: F403
from shapeinfer.catalogue.vision import *  # noqa: F403

_HEADER = '<ir_version: 10, opset_import: ["" : 21]>\n'


def example(text: str) -> str:
    """An example of the catalogue as a whole model in ONNX's text form."""
    return text if text.startswith("<") else _HEADER + text
