"""Pictures and tables for notebooks."""

from __future__ import annotations

from typing import Any, Iterable, List, Optional, Sequence, Union

__all__ = ["Drawing", "table"]


def escape(text: str) -> str:
    """Returns a text as HTML."""
    for mark, name in (("&", "amp"), ("<", "lt"), (">", "gt"), ('"', "quot"), ("'", "#x27")):
        text = text.replace(mark, f"&{name};")
    return text


class Drawing(str):
    """A picture: the text of an SVG, which notebooks show."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)

    def save(self, path: Union[str, Any]) -> None:
        """Writes the picture into a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self)

    def __repr__(self) -> str:
        return f"<a drawing, {len(self)} characters of SVG>"


def table(head: Sequence[str], rows: Iterable[Sequence[object]], caption: Optional[str] = None) -> str:
    """Returns a table in HTML."""
    parts: List[str] = ["<table>"]
    if caption:
        parts.append(f"<caption>{escape(caption)}</caption>")
    parts.append("<thead><tr>" + "".join(f"<th>{escape(title)}</th>" for title in head) + "</tr></thead><tbody>")
    for row in rows:
        cells = ("" if cell is None else escape(str(cell)).replace("\n", "<br>") for cell in row)
        parts.append("<tr>" + "".join(f"<td style='text-align:left'>{cell}</td>" for cell in cells) + "</tr>")
    parts.append("</tbody></table>")
    return "".join(parts)
