"""Products with weights packed into few bits: ``MatMulNBits`` and its kin, and mixtures of experts.

The weights are stored packed, so the attributes ``K`` and ``N`` say how large the matrix really is. ``MatMulNBits``
splits each of the ``N`` rows into ``ceil(K / block_size)`` blocks; each block has one scale, may have one zero point,
and takes ``block_size * bits / 8`` bytes. ``MatMulBnb4`` packs all ``N * K`` entries in one row, two to a byte.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Dim, ElementType, Result, Shape, codes, dims, rule, rules

from .ms_shared import MS, flag, last, positive, tie, vector, with_last


@rule("MatMulNBits", since=(1,), domain=MS)
def matmul_nbits(ctx: Context) -> Result:
    """``A`` with its last dim, ``K``, turned into ``N``."""
    inner, columns = positive(ctx, "K"), positive(ctx, "N")
    result = product(ctx, inner, columns)
    vector(ctx, "bias", columns)
    if flag(ctx, "weight_prepacked") == 0:
        check_packed(ctx, "B", "scales", columns)
        check_zero_points(ctx, columns)
    return result


def product(ctx: Context, inner: int, columns: int) -> Result:
    """``A`` with its last dim, which must be ``inner``, turned into ``columns``."""
    shape = ctx.shape_or_none("A")
    if shape is None:
        return None
    tie(ctx, "the last dim of A and K", last(shape, ctx, "A"), inner)
    return with_last(shape, columns)


def block_count(ctx: Context) -> tuple[int, int, int]:
    """The blocks of one row, the bits of an entry and the bytes of a block."""
    size, bits = ctx.attr_int("block_size"), ctx.attr_int("bits")
    if size < 16 or size & (size - 1):
        ctx.fail(codes.ATTRIBUTE_VALUE, attribute="block_size", value=size, expected="a power of 2 of at least 16")
    if not 2 <= bits <= 8:
        ctx.fail(codes.ATTRIBUTE_VALUE, attribute="bits", value=bits, expected="in 2 to 8")
    return -(-ctx.attr_int("K") // size), bits, size * bits // 8


def check_packed(ctx: Context, weights: str, scales: str, columns: int) -> None:
    """Packed weights ``(N, blocks, bytes)`` and their scales, one per block, in two dims or flat."""
    blocks, _, size = block_count(ctx)
    shape = ctx.shape_or_none(weights)
    if shape is not None:
        ctx.require_rank(weights, 3)
        for axis, (dim, wanted) in enumerate(zip(shape, (columns, blocks, size), strict=True)):
            if ctx.facts.equal(dim, 0) is not True and ctx.facts.equal(dim, wanted) is False:
                what = f"dim {axis} of {weights} (N, blocks of K, bytes of a block)"
                ctx.fail(codes.SIZES_DIFFER, what=what, left=dim, right=wanted)
    check_table(ctx, scales, columns, blocks)


def check_table(ctx: Context, which: str, rows: int, columns: int) -> None:
    """An input of ``(rows, columns)``, or the same flat."""
    shape = ctx.shape_or_none(which)
    if shape is None:
        return
    if len(shape) == 1:
        tie(ctx, f"the length of {which}", shape[0], rows * columns)
    elif len(shape) == 2:
        tie(ctx, f"dim 0 of {which} and N", shape[0], rows)
        tie(ctx, f"dim 1 of {which}", shape[1], columns)
    elif len(shape) == 0:
        ctx.fail(codes.RANK, input=which, shape=shape, expected="1 or 2")


def check_zero_points(ctx: Context, columns: int) -> None:
    """Zero points are packed like the weights when they are bytes, and else stand one by one like the scales."""
    blocks, bits, _ = block_count(ctx)
    if ctx.elem("zero_points") == ElementType.UINT8:
        check_table(ctx, "zero_points", columns, -(-blocks * bits // 8))
    elif ctx.elem("zero_points"):
        check_table(ctx, "zero_points", columns, blocks)


@rule("MatMulNBitsMlp", since=(1,), domain=MS)
def matmul_nbits_mlp(ctx: Context) -> Result:
    """A gate and an up projection of the same ``A``, multiplied; the second output is ``A`` with the residual added."""
    inner, columns = positive(ctx, "K"), positive(ctx, "N")
    result = product(ctx, inner, columns)
    vector(ctx, "norm_scale", inner)
    for each in ("gate_bias", "up_bias"):
        vector(ctx, each, columns)
    for each in ("gate", "up"):
        check_packed(ctx, f"{each}_B", f"{each}_scales", columns)
    return [result, ctx.shape_or_none("A")]  # type: ignore[list-item]  # product gives one shape


@rule("MatMulNBitsQkv", since=(1,), domain=MS)
def matmul_nbits_qkv(ctx: Context) -> Result:
    """Three projections of the same ``A``; the fourth output is ``A`` with the residual added."""
    inner, queries, keys = positive(ctx, "K"), positive(ctx, "Nq"), positive(ctx, "Nkv")
    shape = ctx.shape_or_none("A")
    if shape is not None:
        tie(ctx, "the last dim of A and K", last(shape, ctx, "A"), inner)
    vector(ctx, "norm_scale", inner)
    for each, columns in (("q", queries), ("k", keys), ("v", keys)):
        vector(ctx, f"{each}_bias", columns)
        check_packed(ctx, f"{each}_B", f"{each}_scales", columns)
    return [with_last(shape, queries), with_last(shape, keys), with_last(shape, keys), shape]


@rule("MatMulBnb4", since=(1,), domain=MS)
def matmul_bnb4(ctx: Context) -> Result:
    """``A`` with its last dim, ``K``, turned into ``N``; the other way round without ``transB``."""
    inner, columns = positive(ctx, "K"), positive(ctx, "N")
    block = ctx.attr_int("block_size")
    if block < 16 or block & (block - 1):
        ctx.fail(codes.ATTRIBUTE_VALUE, attribute="block_size", value=block, expected="a power of 2 of at least 16")
    if ctx.attr_int("quant_type") not in (0, 1):
        ctx.fail(codes.ATTRIBUTE_VALUE, attribute="quant_type", value=ctx.attr_int("quant_type"), expected="0 or 1")
    vector(ctx, "B", (inner * columns + 1) // 2)
    vector(ctx, "absmax", -(-inner * columns // block))
    if not ctx.attr_int("transB"):
        inner, columns = columns, inner
    return product(ctx, inner, columns)


@rules({"MatMulBlockQuantizedFp8Weight": (1,), "MatMulBlockQuantizedFp4Weight": (1,)}, domain=MS)
def matmul_block_float(ctx: Context) -> Result:
    """``A`` times the transpose of ``B``, whose rows are blocks of small floats; two to a byte in 4 bits."""
    shape, weights = ctx.shape_or_none("A"), ctx.shape_or_none("B")
    if weights is None:
        return with_last(shape, None)
    columns, stored = ctx.require_rank("B", 2)
    inner = dims.mul(2, stored) if ctx.node.op.endswith("Fp4Weight") else stored
    if shape is not None:
        tie(ctx, "the last dims of A and of B unpacked", last(shape, ctx, "A"), inner)
    vector(ctx, "bias", columns)
    return with_last(shape, columns)


@rules({"MoE": (1,), "QMoE": (1,)}, domain=MS)
def mixture(ctx: Context) -> Result:
    """A mixture of experts keeps the shape of its input; ``router_probs`` has one row per token."""
    shape = ctx.shape_or_none("input")
    if shape is not None and len(shape) not in (2, 3):
        ctx.fail(codes.RANK, input="input", shape=shape, expected="2 or 3")
    experts = expert_count(ctx)
    router = ctx.shape_or_none("router_probs")
    if router is not None:
        tokens, wanted = ctx.require_rank("router_probs", 2)
        if shape is not None:
            rows = shape[0] if len(shape) == 2 else dims.mul(shape[0], shape[1])
            tie(ctx, "the rows of router_probs and the tokens", tokens, rows)
        if experts is not None:
            tie(ctx, "the columns of router_probs and the experts", wanted, experts)
    return shape


def expert_count(ctx: Context) -> Dim | None:
    """The number of experts, which the weights agree on."""
    found: Dim | None = None
    for name in ("fc1_experts_weights", "fc2_experts_weights", "fc3_experts_weights"):
        shape: Shape | None = ctx.shape_or_none(name)
        if shape is not None and len(shape) == 3:
            found = shape[0] if found is None else tie(ctx, f"the experts of {name}", shape[0], found)
    return found
