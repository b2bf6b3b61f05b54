"""Writes `python/merkhet/_options.pyi`, the types of the options, from the table of the library."""

from __future__ import annotations

from pathlib import Path

import merkhet

TARGET = Path(__file__).parent / "python" / "merkhet" / "_options.pyi"

TYPES = {
    "flag": "bool",
    "number": "int",
    "text": "str",
    "fraction": "float",
    "time": "Union[float, str]",
    "size": "Union[int, str]",
}


#: What options may be besides, as functions.
FUNCTIONS = {
    "join": ", Callable[[StateView, StateView], bool], Callable[[StateView, StateView, StateView], bool]",
    "heuristic": ", Callable[[StateView], Optional[int]]",
    "order": ", Callable[[], Any]",
}

#: What only functions are.
MORE = """    #: Whether a heuristic that is a function says None only where no path leads to the goal.
    safe: bool
    #: Whether it never says too much.
    admissible: bool
    #: Whether an abstract path is feasible; None: the search finds out.
    feasible: Optional[Callable[[List[PathState]], Optional[bool]]]
    #: Which state of an infeasible path is split; None: the search chooses.
    split: Optional[Callable[[List[PathState]], Optional[int]]]
"""


def text() -> str:
    """Returns the text of the file."""
    lines = [
        '"""The types of the options. Written by `generate_options.pyi`."""',
        "",
        "from __future__ import annotations",
        "",
        "from typing import Any, Callable, List, Literal, Optional, Union",
        "",
        "from typing_extensions import TypedDict",
        "",
        "from ._lattices import PathState",
        "from ._merkhet import StateView",
        "",
        "",
        "class Options(TypedDict, total=False):",
        '    """The options of `Model.verify`; `None` leaves one as it is."""',
        "",
    ]
    for option in merkhet.options().values():
        kind = TYPES.get(option.kind)
        if kind is None:
            kind = "Literal[{}]".format(", ".join(f'"{value}"' for value, _ in option.values))
        kind += FUNCTIONS.get(option.name, "")
        kind = f"Union[{kind}]" if ", " in kind and option.name in FUNCTIONS else kind
        lines.append(f"    #: {option.help}.")
        lines.append(f"    {option.name}: Optional[{kind}]")
    return "\n".join(lines) + "\n" + MORE


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
