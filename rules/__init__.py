"""The rule pack: one file per operator family, each the place to learn these operators.

Installed as ``shapeinfer.rules`` and found by ``shapeinfer.loader``. A file imports the rule API,
``shapeinfer.rule``, and nothing else of the engine.
"""
