"""The domain ai.onnx.ml: features. Categories, scaling, imputation and vectors made of maps.

Most keep the shape. Which type comes out often depends on which of several attributes is stated: exactly one of
``keys_*`` and one of ``values_*`` for LabelEncoder (2, 4; LabelEncoder-1 has only ``classes_strings``).
"""

from __future__ import annotations

from shapeinfer.rule import (
    Context,
    Dim,
    ElementType,
    MapType,
    Result,
    SequenceType,
    TensorType,
    codes,
    dims,
    rule,
    rules,
)

from .ml_shared import ML, only_one, stated_length
from .sizes import tie

ELEMENTS = {"float": ElementType.FLOAT, "int64": ElementType.INT64, "string": ElementType.STRING}


@rules({"Binarizer": (1,), "Imputer": (1,), "Scaler": (1,), "Normalizer": (1,)}, domain=ML)
def same(ctx: Context) -> Result:
    """The input's shape; the attributes have one entry, or one for each feature."""
    shape = ctx.shape_or_none("X")
    if ctx.node.op == "Normalizer":
        ctx.attr_choice("norm", ("MAX", "L1", "L2"))
        if shape is not None and len(shape) not in (1, 2):
            ctx.fail(codes.RANK, input="X", shape=shape, expected="1 or 2")
    if ctx.node.op == "Imputer":
        only_one(ctx, "imputed_value_floats", "imputed_value_int64s")
    for name in ("scale", "offset", "imputed_value_floats", "imputed_value_int64s"):
        entries = stated_length(ctx, name)
        if entries is not None and entries != 1 and shape:
            tie(ctx, f"length of {name} and number of features", entries, shape[-1])
    return shape


@rules({"LabelEncoder": (1,), "CategoryMapper": (1,)}, domain=ML)
def swapped(ctx: Context) -> Result:
    """Integers for strings and strings for integers."""
    if ctx.node.op == "CategoryMapper":
        strings, integers = stated_length(ctx, "cats_strings"), stated_length(ctx, "cats_int64s")
        if strings != integers:
            ctx.fail(codes.LENGTH, what="cats_strings", found=strings or 0, expected=f"{integers or 0}, as cats_int64s")
    elem = ctx.elem("X")
    other = ElementType.INT64 if elem == ElementType.STRING else ElementType.STRING
    return TensorType(other if elem else 0, ctx.shape_or_none("X"))


@rule("LabelEncoder", since=(2, 4), domain=ML)
def label_encoder(ctx: Context) -> Result:
    """The input's shape, with elements of the type of the ``values_*`` that are stated."""
    suffixes = ["floats", "int64s", "strings", *(["tensor"] if ctx.version >= 4 else [])]
    keys = only_one(ctx, *(f"keys_{suffix}" for suffix in suffixes))
    values = only_one(ctx, *(f"values_{suffix}" for suffix in suffixes))
    found, wanted = ctx.elem("X"), listed_type(ctx, keys)
    if found and found != wanted:
        label = ElementType(wanted).label
        ctx.fail(codes.TYPE_NOT_ALLOWED, input="X", found=ElementType(found).label, allowed=f"{label}, as {keys} has")
    if list_length(ctx, keys) != list_length(ctx, values):
        expected = f"{list_length(ctx, keys)}, as {keys}"
        ctx.fail(codes.LENGTH, what=values, found=list_length(ctx, values), expected=expected)
    return TensorType(listed_type(ctx, values), ctx.shape_or_none("X"))


def listed_type(ctx: Context, name: str) -> int:
    """The element type of a list of keys or values."""
    proto = ctx.attr_proto(name)
    if proto is not None and name.endswith("_tensor"):
        return proto.t.data_type
    return ELEMENTS[name.rpartition("_")[2].removesuffix("s")]


def list_length(ctx: Context, name: str) -> int:
    """How many keys or values there are."""
    proto = ctx.attr_proto(name)
    if proto is not None and name.endswith("_tensor"):
        return int(proto.t.dims[0]) if len(proto.t.dims) == 1 else 0
    return stated_length(ctx, name) or 0


@rule("OneHotEncoder", since=(1,), domain=ML)
def one_hot_encoder(ctx: Context) -> Result:
    """A new last axis as long as there are categories."""
    name = only_one(ctx, "cats_int64s", "cats_strings")
    elem = ctx.elem("X")
    if elem and (elem == ElementType.STRING) != (name == "cats_strings"):
        allowed = "strings" if name == "cats_strings" else "numbers"
        ctx.fail(codes.TYPE_NOT_ALLOWED, input="X", found=ElementType(elem).label, allowed=f"{allowed} with {name}")
    return (*ctx.shape("X"), stated_length(ctx, name))


@rule("FeatureVectorizer", since=(1,), domain=ML)
def feature_vectorizer(ctx: Context) -> Result:
    """All inputs side by side, each of the width that ``inputdimensions`` says or else as it is; 1-D ones are rows."""
    widths: list[Dim | None] = []
    batch: Dim | None = None
    for i in range(len(ctx.inputs)):
        shape = ctx.shape_or_none(i)
        if shape is not None and len(shape) not in (1, 2):
            ctx.fail(codes.RANK, input=ctx.input_name(i), shape=shape, expected="1 or 2")
        widths.append(None if shape is None else shape[-1])
        if shape is not None:
            rows = 1 if len(shape) == 1 else shape[0]
            batch = rows if batch is None else tie(ctx, "rows of all inputs", batch, rows)
    stated = ctx.attr_ints("inputdimensions")
    if stated is not None and len(stated) != len(widths):
        ctx.fail(codes.LENGTH, what="inputdimensions", found=len(stated), expected=len(widths))
    known = [width for width in stated or widths if width is not None]
    return (batch, dims.add(0, *known) if len(known) == len(widths) else None)


@rule("ArrayFeatureExtractor", since=(1,), domain=ML)
def array_feature_extractor(ctx: Context) -> Result:
    """The last axis becomes as long as there are indices; a 1-D input counts as one row."""
    indices = ctx.shape_or_none("Y")
    count = None if indices is None else dims.mul(1, *indices)
    shape = ctx.shape("X")
    if not shape:
        ctx.fail(codes.RANK, input="X", shape=shape, expected="at least 1")
    check_indices(ctx, shape[-1])
    return (*(shape[:-1] or (1,)), count)


def check_indices(ctx: Context, size: Dim) -> None:
    """Known indices must lie on the axis."""
    known = ctx.elements("Y")
    for index in known.ravel().tolist() if known is not None else ():
        if type(index) is int and (index < 0 or ctx.facts.at_least(index, size)):
            ctx.fail(codes.INDEX_RANGE, index=index, axis=-1, size=size)


@rule("CastMap", since=(1,), domain=ML)
def cast_map(ctx: Context) -> Result:
    """One row: as many values as the map has, or ``max_map`` with the form SPARSE."""
    form = ctx.attr_choice("map_form", ("DENSE", "SPARSE"))
    target = ctx.attr_choice("cast_to", ("TO_FLOAT", "TO_STRING", "TO_INT64"))
    elem = ELEMENTS[target.removeprefix("TO_").lower()]
    width = ctx.attr_int("max_map") if form == "SPARSE" else None
    return TensorType(elem, (1, width))


@rule("DictVectorizer", since=(1,), domain=ML)
def dict_vectorizer(ctx: Context) -> Result:
    """The values of the map by vocabulary: 1-D by the specification, but one row of a matrix in ONNX Runtime."""
    only_one(ctx, "int64_vocabulary", "string_vocabulary")
    kind = ctx.type("X")
    held = kind.value if isinstance(kind, MapType) else None
    return TensorType(held.elem) if isinstance(held, TensorType) else None


@rule("ZipMap", since=(1,), domain=ML)
def zip_map(ctx: Context) -> Result:
    """For each row a map from the labels to the numbers."""
    name = only_one(ctx, "classlabels_int64s", "classlabels_strings")
    shape = ctx.shape_or_none("X")
    if shape is not None and len(shape) not in (1, 2):
        ctx.fail(codes.RANK, input="X", shape=shape, expected="1 or 2")
    if shape:
        tie(ctx, f"columns of X and length of {name}", shape[-1], stated_length(ctx, name) or 0)
    key = ElementType.STRING if name.endswith("strings") else ElementType.INT64
    return SequenceType(MapType(key, TensorType(ElementType.FLOAT)))
