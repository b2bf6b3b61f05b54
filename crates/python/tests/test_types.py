"""Stubs and types are those of the library."""

from __future__ import annotations

import inspect
from pathlib import Path

import merkhet as mk
from merkhet import _merkhet


def test_the_types_of_options_are_those_of_the_table() -> None:
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location("generate_options", Path(__file__).parents[1] / "generate_options.py")
    assert spec is not None and spec.loader is not None
    generator = module_from_spec(spec)
    spec.loader.exec_module(generator)
    assert generator.TARGET.read_text(encoding="utf-8") == generator.text(), "run generate_options.py"


def test_every_public_name_has_a_documentation() -> None:
    for name in mk.__all__:
        member = getattr(mk, name)
        if inspect.isclass(member):
            assert member.__doc__, name
            for own, method in vars(member).items():
                if not own.startswith("_") and (inspect.isfunction(method) or isinstance(method, property)):
                    assert method.__doc__, f"{name}.{own}"


def test_the_stub_names_what_the_module_has() -> None:
    stub = (Path(mk.__file__).parent / "_merkhet.pyi").read_text(encoding="utf-8")
    for name, member in vars(_merkhet).items():
        if not name.startswith("__"):
            assert name in stub, name
        if inspect.isclass(member):
            for own in vars(member):
                if not own.startswith("__"):
                    assert f"def {own}(" in stub, f"{name}.{own}"
