"""Write the first inputs of the corpus: `python -m tests.fuzz.seeds`. What fuzzing found since stays beside them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator

from tests.fuzz.__main__ import CORPUS, WORDS
from tests.hostile import good, malformed


def decode_seeds() -> Iterator[bytes]:
    """A bundle with one structure of each kind, one that shows nothing, and one malformed sample of each kind."""
    thin = malformed.thin(good.bundle())
    small = malformed.small(thin)
    yield from (thin, small)
    for generator in malformed.KINDS.values():
        samples = [each.data for each in generator(small) if len(each.data) < 4096]
        yield from (each for each in samples[len(samples) // 2 :][:1])


def verify_seeds() -> Iterator[bytes]:
    """Choices: each good bundle, with and without replay and sealing."""
    for number in range(3):
        for replay in range(2):
            for change in range(0, 8, 2):
                yield bytes([number, replay, change, change, *range(3 * change, 3 * change + 24)])


def words() -> Iterator[str]:
    """What a bundle is made of, as a fuzzer's dictionary: keys, words of vocabularies, punctuation, odd numbers."""
    tokens = {*'{}[]:,"', "null", "true", "false", "-1", "1.0", "1e9", "9223372036854775808", "NaN", "[[", "\\u0000"}
    for path, value in malformed.places(json.loads(malformed.thin(good.bundle()))):
        tokens |= {json.dumps(word) for word in (*path[-1:], value) if isinstance(word, str) and len(word) < 40}
    for token in sorted(tokens):
        escaped = token.replace("\\", "\\\\").replace('"', '\\"')
        yield f'"{escaped}"\n'


def main() -> None:
    """Write every seed under the name of its digest."""
    WORDS.write_text("".join(words()), encoding="ascii")
    for target, seeds in (("decode", decode_seeds()), ("verify", verify_seeds())):
        folder = CORPUS / target
        folder.mkdir(parents=True, exist_ok=True)
        for data in seeds:
            (folder / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)


if __name__ == "__main__":
    main()
