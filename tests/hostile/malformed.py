"""Bytes that are no canonical bundle, by kind: each generator makes many of its kind out of a small good bundle.

What is put wrong is one thing in one place; everything else stays as good as it was.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from blueprint.codec import BUNDLE_LIMIT, VALUE_LIMIT, encode

Path = tuple[str | int, ...]
Plain = dict[str, Any]

LONGEST: Final = 65_536
"""Members of the longest list of devices."""

MARK: Final = "a place for any bytes"

DEEP: Final = 100_000

OPTIONAL: Final = {"collective", "producer", "peer", "target", "deployment", "device_memory"}
"""Fields that a bundle may leave out: without one it is well-formed."""

OPEN: Final = {"coverage", "cardinality", "claims"}
"""Objects of a record whose keys are free: counts by name."""


class Sample(NamedTuple):
    """One malformed input, and where it is wrong."""

    name: str
    data: bytes


Generator = Callable[[bytes], Iterator[Sample]]

KINDS: Final[dict[str, Generator]] = {}

LARGE: Final[dict[str, Callable[[bytes], bytes]]] = {}
"""One input each, of about as many bytes as are read, or more."""


def kind(function: Generator) -> Generator:
    """List a kind by its name."""
    KINDS[function.__name__.replace("_", " ")] = function
    return function


def large(function: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """List a large input by its name."""
    LARGE[function.__name__.replace("_", " ")] = function
    return function


# Places ---------------------------------------------------------------------------------------------------------------


def small(good: bytes) -> bytes:
    """A bundle that decodes and shows nothing: every byte of it can be put wrong."""
    data = json.loads(good)
    data["stages"] = data["transitions"] = data["overlays"] = []
    return encode(data)


def thin(good: bytes) -> bytes:
    """A bundle that decodes, with few members in every list: one of each kind of structure, two of anything else."""
    data = _thin(json.loads(good))
    entry = {"entity": data["stages"][2]["snapshot"]["tasks"][0]["id"], "value": 1}
    address = data["transitions"][1]["target"]
    data["overlays"] = [{"snapshot": address, "provider": "", "revision": "", "unit": "ps", "entries": [entry]}]
    return encode(data)


def _thin(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _thin(each) for key, each in value.items()}
    if not isinstance(value, list) or not value or not isinstance(value[0], dict):
        return value[:2] if isinstance(value, list) else value
    kinds = {(*each, each.get("kind"), each.get("schema"), each.get("stage")): each for each in reversed(value)}
    return [_thin(each) for each in reversed(kinds.values())]


def shape(path: Path) -> Path:
    """A path without its positions: what two entities of one list have in common."""
    return tuple("[]" if isinstance(part, int) else part for part in path)


def places(value: object, path: Path = ()) -> Iterator[tuple[Path, object]]:
    """Every value of a document with its path."""
    yield path, value
    if isinstance(value, dict):
        for key, each in value.items():
            yield from places(each, (*path, key))
    if isinstance(value, list):
        for number, each in enumerate(value):
            yield from places(each, (*path, number))


def fields(good: bytes) -> list[tuple[Path, object]]:
    """One place of every field of every structure, stage by stage."""
    found: dict[Path, tuple[Path, object]] = {}
    for path, value in places(json.loads(good)):
        stage = path[1:2] if path[:1] == ("stages",) else ()
        found.setdefault((*stage, *shape(path)), (path, value))
    return list(found.values())


def with_value(good: bytes, path: Path, written: bytes) -> bytes:
    """The document with other bytes in the place of one value."""
    data = json.loads(good)
    if not path:
        return written
    parent(data, path)[path[-1]] = MARK
    return encode(data).replace(json.dumps(MARK).encode(), written)


def parent(data: Any, path: Path) -> Any:
    """The object or list in which the last part of a path lies."""
    for part in path[:-1]:
        data = data[part]
    return data


def spelled(path: Path) -> str:
    return ".".join(map(str, path)) or "the whole"


def of_type(good: bytes, *types: type) -> list[tuple[Path, object]]:
    """One place of every field that holds exactly one of these types."""
    return [(path, value) for path, value in fields(good) if type(value) in types]


# Bytes ----------------------------------------------------------------------------------------------------------------


@kind
def cut_short(good: bytes) -> Iterator[Sample]:
    """At every byte of a small bundle, and all over a larger one."""
    tiny = small(good)
    for end in range(len(tiny)):
        yield Sample(f"small bundle, {end} bytes", tiny[:end])
    for end in range(1, len(good), len(good) // 100):
        yield Sample(f"{end} bytes", good[:end])


@kind
def something_before_or_behind(good: bytes) -> Iterator[Sample]:
    for word in (b" ", b"\t", b"\n", b"\r\n", b"\x00", b"\xef\xbb\xbf", b"\xff\xfe", b"{}", b"null", b",", b"]", b"}"):
        yield Sample(f"{word!r} before", word + good)
        yield Sample(f"{word!r} behind", good + word)
    yield Sample("twice", good + good)
    yield Sample("in a list", b"[" + good + b"]")
    yield Sample("comment", b"/* */" + good)
    yield Sample("record separator", b"\x1e" + good + b"\n")


@kind
def other_encodings(good: bytes) -> Iterator[Sample]:
    text = good.decode()
    for encoding in ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-7"):
        yield Sample(encoding, text.encode(encoding) + (b"" if encoding != "utf-7" else b"+AGE-"))


@kind
def bytes_that_are_no_utf8(good: bytes) -> Iterator[Sample]:
    words = {
        "lone continuation": b"\x80",
        "cut sequence": b"\xe2\x82",
        "overlong slash": b"\xc0\xaf",
        "overlong null": b"\xc0\x80",
        "surrogate": b"\xed\xa0\x80",
        "pair of surrogates": b"\xed\xa0\xbd\xed\xb8\x80",
        "beyond Unicode": b"\xf4\x90\x80\x80",
        "no lead byte": b"\xff",
    }
    for path, _ in of_type(good, str):
        for name, word in words.items():
            yield Sample(f"{name} in {spelled(path)}", with_value(good, path, b'"' + word + b'"'))


@kind
def escapes_that_stand_for_no_character(good: bytes) -> Iterator[Sample]:
    words = (
        rb"\ud800",
        rb"\udc00",
        rb"\ud800\ud800",
        rb"\udfff\ud800",
        rb"\ud83d",
        rb"\u12",
        rb"\x41",
        rb"\u{41}",
        b"\\",
    )
    for path, _ in of_type(good, str):
        for word in words:
            yield Sample(f"{word!r} in {spelled(path)}", with_value(good, path, b'"' + word + b'"'))


# Spelling: the same content, another text -----------------------------------------------------------------------------


@kind
def white_space_inside(good: bytes) -> Iterator[Sample]:
    tiny = small(good)
    for place, byte in enumerate(tiny):
        if bytes([byte]) in b"{}[]:,":
            for space in (b" ", b"\n", b"\t"):
                yield Sample(f"{space!r} at byte {place + 1}", tiny[: place + 1] + space + tiny[place + 1 :])


@kind
def escaped_characters(good: bytes) -> Iterator[Sample]:
    """Letters as escapes: in values, and in keys."""
    for path, value in fields(good):
        if type(value) is str and value:
            written = f'"\\u{ord(value[0]):04x}'.encode() + json.dumps(value[1:]).encode()[1:]
            yield Sample(f"value of {spelled(path)}", with_value(good, path, written))
        if path and isinstance(path[-1], str):
            key, escaped = path[-1], f"\\u{ord(path[-1][0]):04x}{path[-1][1:]}"
            yield Sample(f"key of {spelled(path)}", renamed(good, path, json.dumps(key), f'"{escaped}"'))
    yield Sample("escaped slash", with_value(good, ("request", "model", "name"), rb'"a\/b"'))


@kind
def keys_out_of_order(good: bytes) -> Iterator[Sample]:
    for path, value in fields(good):
        if isinstance(value, dict) and len(value) > 1:
            turned = json.dumps(dict(sorted(value.items(), reverse=True)), separators=(",", ":")).encode()
            yield Sample(spelled(path), with_value(good, path, turned))


@kind
def repeated_keys(good: bytes) -> Iterator[Sample]:
    """The same key again: with the same value, another, and spelled otherwise; in every object."""
    for path, value in fields(good):
        if not isinstance(value, dict) or not value:
            continue
        key, written = min(value), encode(value)
        again = encode({key: value[key]})[1:-1]
        other = again.replace(b'"' + key[:1].encode(), f'"\\u{ord(key[0]):04x}'.encode(), 1)
        wrong = json.dumps(key).encode() + b":0"
        for name, first in (("same", again), ("other value", wrong), ("escaped", other)):
            yield Sample(f"{name} in {spelled(path)}", with_value(good, path, b"{" + first + b"," + written[1:]))


@kind
def numbers_spelled_otherwise(good: bytes) -> Iterator[Sample]:
    """Floats, exponents and the like, all of the value that is there, and what is no number at all."""
    for path, value in of_type(good, int):
        spellings = (
            f"{value}.0", f"{value}e0", f"{value}E+0", f"{value}0e-1", f"0{value}", f"00{value}", f"+{value}",
            f"{value}.", f"{value}_0", f"0x{value}", f"-{value}.5", f'"{value}"', f"\uff11{value}", f"{value}n",
            "-0", "-0.0", "NaN", "-NaN", "Infinity", "-Infinity", "1e400", ".5",
        )  # fmt: skip
        for spelling in spellings:
            yield Sample(f"{spelling} in {spelled(path)}", with_value(good, path, spelling.encode()))


@kind
def numbers_out_of_range(good: bytes) -> Iterator[Sample]:
    """Beyond int64 on both sides, below what a field may hold, and of ever more digits."""
    for path, _ in of_type(good, int):
        for number in (2**63, 2**64 - 1, 2**64, 10**40, -1, -(2**63), -(2**63) - 1, -(10**40)):
            yield Sample(f"{number} in {spelled(path)}", with_value(good, path, str(number).encode()))
    for digits in (300, 4_300, 4_301, 5_000, 100_000, 1_000_000):
        for sign in (b"", b"-"):
            long = with_value(good, ("request", "workload", "batch"), sign + b"9" * digits)
            yield Sample(f"{digits} digits, {sign.decode() or '+'}", long)


# Structure ------------------------------------------------------------------------------------------------------------


@kind
def values_of_another_type(good: bytes) -> Iterator[Sample]:
    """Every field with a value of every other type."""
    words: dict[type, bytes] = {
        type(None): b"null", bool: b"true", int: b"1", float: b"1.5", str: b'"x"', list: b"[]", dict: b"{}",
    }  # fmt: skip
    for path, value in fields(good):
        for other, written in words.items():
            if type(value) is not other:
                yield Sample(f"{other.__name__} for {spelled(path)}", with_value(good, path, written))


@kind
def fields_too_few_and_too_many(good: bytes) -> Iterator[Sample]:
    for path, value in fields(good):
        if path and isinstance(path[-1], str) and path[-1] not in OPTIONAL and not OPEN & set(path[:-1]):
            data = json.loads(good)
            del parent(data, path)[path[-1]]
            yield Sample(f"without {spelled(path)}", encode(data))
            for other in (
                path[-1].upper(),
                path[-1] + "s",
                path[-1][:-1],
                path[-1].replace("e", "\u0435"),
                " " + path[-1],
            ):
                if other != path[-1]:
                    yield Sample(f"{other} for {spelled(path)}", moved(good, path, other))
        if isinstance(value, dict) and not OPEN & set(path):
            for key in ("", "comment", "__class__", "$schema", "\x00", "id", "zzz"):
                if key not in value:
                    wider = encode({**value, key: 1})
                    yield Sample(f"{key!r} more in {spelled(path)}", with_value(good, path, wider))


@kind
def structures_of_another_kind(good: bytes) -> Iterator[Sample]:
    """The members of every list exchanged with those of every other list of structures."""
    lists = [
        (path, value)
        for path, value in fields(good)
        if isinstance(value, list) and value and isinstance(value[0], dict)
    ]
    for path, value in lists:
        for other_path, other in lists:
            if frozenset(other[0]) != frozenset(value[0]):
                wrong = encode([other[0], *value[1:]])
                yield Sample(f"{spelled(other_path)} in {spelled(path)}", with_value(good, path, wrong))


@kind
def words_of_no_vocabulary(good: bytes) -> Iterator[Sample]:
    """Every word of a closed vocabulary, and every tag and schema, in another case, longer, shorter, and of nowhere."""
    closed = {
        "schema", "stage", "branch", "kind", "role", "dtype", "phase", "storage", "group", "mode", "opcode", "category",
        "recompute", "communication", "scope", "topology", "attention", "activation", "purpose", "axis", "reduction",
    }  # fmt: skip
    for path, value in of_type(good, str):
        if path[-1] in closed and "operations" not in path:
            word = str(value)
            others = (word.upper() or "MAIN", word + "s", word + "\n", f" {word}", "v2", "blueprint.moon", "__proto__")
            for other in others:
                yield Sample(f"{other!r} in {spelled(path)}", with_value(good, path, json.dumps(other).encode()))


@kind
def schemas_of_another_version(good: bytes) -> Iterator[Sample]:
    for word in (b"bundle.v1", b"bundle.v00", b"bundle.V0", b"bundle", b"bundle.v0 ", b"bundle.v0\\u0000"):
        yield Sample(word.decode(), good.replace(b"bundle.v0", word, 1))
    for stage in (b"model", b"distributed", b"portable", b"concrete", b"machine"):
        for word in (stage + b".v2", stage.upper(), stage + b"\\u200b", b"future"):
            old, new = b'"blueprint.' + stage + b'"', b'"blueprint.' + word + b'"'
            yield Sample(f"{word.decode()} for {stage.decode()}", good.replace(old, new, 1))


@kind
def names_and_ids_that_look_alike(good: bytes) -> Iterator[Sample]:
    """Letters of other scripts, invisible ones, composed and decomposed ones: in names, ids and digests."""
    for path, value in of_type(good, str):
        if not _strict(path, str(value)):
            continue
        word = str(value)
        middle = len(word) // 2
        around = (word[:middle], word[middle:])
        letters = ("\u0430", "\u03b1", "\uff41", "\u0131", "\u0660", "\u00e9", "e\u0301", "\ufb01")
        marks = (
            "\u200b",
            "\u200d",
            "\u00ad",
            "\u2060",
            "\ufeff",
            "\u202e",
            "\u2066",
            "\u061c",
            "\x00",
            "\x7f",
            "\x1b[31m",
            "%61",
        )
        for sign in (*letters, *marks):
            yield Sample(f"{sign!r} in {spelled(path)}", with_value(good, path, json.dumps(sign.join(around)).encode()))
            yield Sample(f"{sign!r} in {spelled(path)}, raw", with_value(good, path, _raw(sign.join(around))))
        for other in (word + "\n", word + " ", "\t" + word, word.upper(), word.title(), word[1:] + "\u0000"):
            if other != word:
                yield Sample(f"{other[-8:]!r} in {spelled(path)}", with_value(good, path, json.dumps(other).encode()))


@kind
def texts_that_are_too_long(good: bytes) -> Iterator[Sample]:
    for path, _ in of_type(good, str):
        for length in () if "contract" in path else (257, 5_000):
            yield Sample(f"{length} in {spelled(path)}", with_value(good, path, b'"' + b"x" * length + b'"'))


@kind
def words_that_mean_something_elsewhere(good: bytes) -> Iterator[Sample]:
    """Terminal codes, markup, formulas and code, in every place that takes no free text."""
    words = (
        "\x1b[2J\x1b[Hverified", "\x1b]8;;http://example.com\x07x", "\x9b2J", "\r verified", "\u202edeifirev",
        "[bold red]x[/]", "[/red]", "[link=file:///etc/passwd]x[/link]", ":warning:",
        "<script>alert(1)</script>", "&#60;b&#62;", "<!--", "]]>", "|x|", "`x`", "::error::x", "%0A::error::x",
        "=1+1", "+1", "-1+2", "@SUM(1)", '=HYPERLINK("http://example.com")',
        "__import__('os').getpid()", "{0.__class__}", "%s%n", "${jndi:ldap://example.com}",
        "../../etc/passwd", "file:///x", "v0 (evil) | ; \\", "(assert false)", "'; DROP TABLE x; --", "\ud83d\ude00",
    )  # fmt: skip
    for path, value in of_type(good, str):
        if _strict(path, str(value)):
            for word in words:
                yield Sample(f"{word!r} in {spelled(path)}", with_value(good, path, _raw(word)))


@kind
def nested_deeply(good: bytes) -> Iterator[Sample]:
    """In the place of the whole, of fields, and of a text; open at the end and closed."""
    nests = {
        "lists": (b"[", b"]"),
        "objects": (b'{"a":', b"}"),
        "objects of one empty key": (b'{"":', b"}"),
        "lists of objects": (b'[{"a":', b"}]"),
    }
    where: tuple[Path, ...] = (
        (), ("request",), ("request", "model", "name"), ("stages",), ("stages", 0, "snapshot"), ("overlays",),
        ("transitions", 0, "report", "claims"),
    )  # fmt: skip
    known = {path for path, _ in places(json.loads(good))}
    for name, (opening, closing) in nests.items():
        for depth in (900, 2_000, DEEP):
            for path in (each for each in where if each in known):
                nested = opening * depth + b"0" + closing * depth
                yield Sample(f"{depth} {name} for {spelled(path)}", with_value(good, path, nested))
            yield Sample(f"{depth} {name}, never closed", opening * depth)
            yield Sample(f"{depth} {name}, never opened", closing * depth)


def free(path: Path) -> bool:
    """Whether a text of any words may stand in a place: it decodes, and is compared or only shown."""
    return "contract" in path or "facts" in path or path[:2] in {("request", "target"), ("request", "model")}


def _strict(path: Path, value: str) -> bool:
    """Whether a text is a name, an id or a digest, which has a form; implementations and primitives are names too."""
    if free(path):
        return False
    named = path[-1] in {"id", "name", "transform", "primitive", "capability", "implementation", "unit", "region"}
    digest = value.rpartition(":")[2]
    return (named and "laws" not in path) or len(digest) == 64


def _raw(text: str) -> bytes:
    """Text as JSON writes it with as few escapes as it may: a reader that shows it shows all of it."""
    return json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass")


def moved(good: bytes, path: Path, name: str) -> bytes:
    """The document with a field under another name."""
    data = json.loads(good)
    holder = parent(data, path)
    holder[name] = holder.pop(path[-1])
    return encode(data)


def renamed(good: bytes, path: Path, key: str, written: str) -> bytes:
    """The document with one key spelled otherwise, in its own place."""
    data = json.loads(good)
    holder = parent(data, path)
    marked = {(MARK if each == path[-1] else each): value for each, value in sorted(holder.items())}
    text = json.dumps(marked, separators=(",", ":"), ensure_ascii=False).replace(json.dumps(MARK), written, 1)
    if written == key:
        raise ValueError("the key is spelled as before")
    return with_value(good, path[:-1], text.encode())


# Large ----------------------------------------------------------------------------------------------------------------


def _filled(good: bytes, path: Path, opening: bytes, member: bytes, closing: bytes) -> bytes:
    """As many equal members in one place as fit."""
    room = BUNDLE_LIMIT - len(good) - 100
    count = min(room // (len(member) + 1), VALUE_LIMIT - good.count(b",") - 1)
    return with_value(good, path, opening + b",".join([member] * count) + closing)


@large
def more_than_is_read(good: bytes) -> bytes:
    return good + b" " * (BUNDLE_LIMIT + 1 - len(good))


@large
def more_values_than_are_decoded(_good: bytes) -> bytes:
    return b"[" + b"0," * VALUE_LIMIT + b"0,0]"


@large
def white_space_alone(_good: bytes) -> bytes:
    return b" " * BUNDLE_LIMIT


@large
def opening_brackets_alone(_good: bytes) -> bytes:
    return b"[" * BUNDLE_LIMIT


@large
def one_number(_good: bytes) -> bytes:
    return b"9" * BUNDLE_LIMIT


@large
def one_number_in_a_field(good: bytes) -> bytes:
    return with_value(good, ("request", "workload", "batch"), b"9" * (BUNDLE_LIMIT - len(good)))


@large
def one_text_in_a_field(good: bytes) -> bytes:
    return with_value(good, ("request", "model", "name"), b'"' + b"x" * (BUNDLE_LIMIT - len(good)) + b'"')


@large
def one_text_of_escapes(good: bytes) -> bytes:
    return with_value(good, ("request", "model", "name"), b'"' + rb"\u0061" * ((BUNDLE_LIMIT - len(good)) // 6) + b'"')


@large
def one_key(good: bytes) -> bytes:
    return with_value(good, ("request",), b'{"' + b"k" * (BUNDLE_LIMIT - len(good)) + b'":1}')


@large
def keys_of_a_record_twice(good: bytes) -> bytes:
    return _filled(good, ("transitions", 0, "report", "claims"), b"{", b'"":0', b"}")


@large
def keys_of_a_record_out_of_order(good: bytes) -> bytes:
    count = VALUE_LIMIT - good.count(b",") - 1
    keys = b",".join(b'"%x":0' % number for number in range(count, 0, -1))
    return with_value(good, ("transitions", 0, "report", "claims"), b"{" + keys + b"}")


@large
def empty_objects_for_stages(good: bytes) -> bytes:
    return _filled(good, ("stages",), b"[", b"{}", b"]")


@large
def empty_objects_for_tasks(good: bytes) -> bytes:
    return _filled(good, ("stages", 1, "snapshot", "tasks"), b"[", b"{}", b"]")


@large
def nulls_for_ids(good: bytes) -> bytes:
    return _filled(good, ("stages", 1, "snapshot", "inputs"), b"[", b"null", b"]")


@large
def numbers_for_ids(good: bytes) -> bytes:
    return _filled(good, ("stages", 1, "snapshot", "inputs"), b"[", b"0", b"]")


@large
def ranks_without_end(good: bytes) -> bytes:
    return _filled(good, ("stages", 1, "snapshot", "mesh", "ranks"), b"[", b"0", b"]")


@large
def digests_and_white_space(good: bytes) -> bytes:
    return _filled(good, ("transitions", 0, "report", "obligations"), b"[", b'"' + b"0" * 64 + b'"', b"]") + b"\n"


@large
def good_tasks_and_a_bad_one(good: bytes) -> bytes:
    """Everything is decoded before the fault is met."""
    data = json.loads(good)
    task = encode(data["stages"][1]["snapshot"]["tasks"][0])
    room = BUNDLE_LIMIT - len(good) - len(task) - 100
    tasks = b",".join([*[task] * (room // (len(task) + 1)), task.replace(b'"read_bytes":', b'"read_bytes":-')])
    return with_value(good, ("stages", 1, "snapshot", "tasks"), b"[" + tasks + b"]")


@large
def good_devices_and_white_space(good: bytes) -> bytes:
    """Everything is decoded and encoded again before the fault is met."""
    data = json.loads(good)
    device = encode(data["stages"][3]["snapshot"]["devices"][0])
    return with_value(good, ("stages", 3, "snapshot", "devices"), b"[" + b",".join([device] * LONGEST) + b"]") + b"\n"


@large
def waits_and_white_space(good: bytes) -> bytes:
    data = json.loads(good)
    wait = encode(data["stages"][3]["snapshot"]["extension"]["waits"][0])
    return _filled(good, ("stages", 3, "snapshot", "extension", "waits"), b"[", wait, b"]") + b"\n"


@large
def record_and_white_space(good: bytes) -> bytes:
    count = VALUE_LIMIT - good.count(b",") - 1
    keys = b",".join(b'"%x":0' % number for number in sorted(range(count), key="{:x}".format))
    return with_value(good, ("transitions", 0, "report", "claims"), b"{" + keys + b"}") + b"\n"
