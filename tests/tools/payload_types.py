"""Keep the page's TypeScript types true to `blueprint.explorer.payload`.

python -m tests.tools.payload_types          # fails if the file differs
python -m tests.tools.payload_types --write  # writes it anew
"""

from __future__ import annotations

import enum
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec
from msgspec import inspect

from blueprint.explorer import payload

FILE: Final = Path(payload.__file__).parent / "ui" / "src" / "payload.ts"

HEAD: Final = "// Generated from blueprint/explorer/payload.py by `python -m tests.tools.payload_types --write`.\n"


def types() -> str:
    """Every public structure of the payload, in its order."""
    return HEAD + "".join(_declaration(each) for each in _structures())


def _structures() -> Iterator[type]:
    for name, value in vars(payload).items():
        if isinstance(value, type) and value.__module__ == payload.__name__ and not name.startswith("_"):
            yield value


def _declaration(structure: type) -> str:
    if issubclass(structure, enum.Enum):
        return f"\nexport type {structure.__name__} = {' | '.join(_quoted(each.value) for each in structure)}\n"
    info = inspect.type_info(structure)
    if not isinstance(info, inspect.StructType):
        raise TypeError(f"{structure.__name__} is no structure")
    fields = [f"{field.encode_name}{_mark(info, field)}: {_written(field.type)}" for field in info.fields]
    if info.array_like:
        return f"\nexport type {structure.__name__} = readonly [{', '.join(fields)}]\n"
    body = "".join(f"  readonly {field}\n" for field in fields)
    return f"\nexport interface {structure.__name__} {{\n{body}}}\n"


def _mark(info: inspect.StructType, field: inspect.Field) -> str:
    """A field that its structure may leave out is marked as such."""
    return "?" if info.cls.__struct_config__.omit_defaults and not field.required else ""


def _written(kind: inspect.Type) -> str:
    match kind:
        case inspect.StrType():
            return "string"
        case inspect.IntType():
            return "number"
        case inspect.BoolType():
            return "boolean"
        case inspect.StructType() | inspect.EnumType():
            return kind.cls.__name__
        case inspect.VarTupleType():
            return f"readonly ({_written(kind.item_type)})[]"
        case inspect.UnionType():
            return " | ".join(_written(each) for each in kind.types)
        case _:
            raise TypeError(f"no TypeScript for {kind}")


def _quoted(text: str) -> str:
    return msgspec.json.encode(text).decode("ascii")


def settle(arguments: list[str]) -> int:
    """Write with --write; without it, say whether the file differs. The exit status: 0 where it does not."""
    wanted = types()
    if "--write" in arguments:
        FILE.write_text(wanted, encoding="utf-8")
        return 0
    if FILE.read_text(encoding="utf-8") == wanted:
        return 0
    sys.stdout.write(f"{FILE.name} is not what the payload says\n")
    return 1


if __name__ == "__main__":
    sys.exit(settle(sys.argv[1:]))
