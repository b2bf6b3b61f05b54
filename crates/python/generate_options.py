"""Writes `python/merkhet/_options.pyi`, the types of the options, from the table of the library."""

from __future__ import annotations

from pathlib import Path

import merkhet

TARGET = Path(__file__).parent / "python" / "merkhet" / "_options.pyi"

TYPES = {
    "flag": "bool",
    "number": "int",
    "text": "str",
    "time": "Union[float, str]",
    "size": "Union[int, str]",
}


def text() -> str:
    """Returns the text of the file."""
    lines = [
        '"""The types of the options. Written by `generate_options.pyi`."""',
        "",
        "from __future__ import annotations",
        "",
        "from typing import Literal, Optional, Union",
        "",
        "from typing_extensions import TypedDict",
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
        lines.append(f"    #: {option.help}.")
        lines.append(f"    {option.name}: Optional[{kind}]")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
