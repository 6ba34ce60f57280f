"""A cut of the soak of determinism: everything at once, two ways; and that a difference would be seen."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from blueprint.exit import ExitCode
from tests.soak import determinism
from tests.soak.determinism import (
    PLAIN,
    Job,
    Left,
    Surroundings,
    compiled_locales,
    differences,
    everything_at_once,
    everything_left,
    jobs,
    one_thing_at_a_time,
)

CUT = ("derive training", "verify training", "verify what is refuted")


@pytest.fixture(scope="module")
def asked() -> dict[str, Job]:
    """Three commands."""
    found = jobs(("training",))
    return {name: found[name] for name in CUT}


@pytest.fixture(scope="module")
def plain(asked: Mapping[str, Job]) -> dict[str, Left]:
    """What they leave behind in plain surroundings."""
    return everything_left(PLAIN, asked)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Locales."""
    place = tmp_path_factory.mktemp("locales")
    compiled_locales(place)
    return place


def test_the_commands_end_as_they_must_with_all_documents(asked: Mapping[str, Job], plain: Mapping[str, Left]) -> None:
    assert {name: each.status for name, each in plain.items()} == {name: job.status for name, job in asked.items()}
    assert [ExitCode(each.status) for each in plain.values()] == [
        ExitCode.VERIFIED,
        ExitCode.VERIFIED,
        ExitCode.REFUTED,
    ]
    assert all(set(each.documents) == set(asked[name].documents) for name, each in plain.items())
    digests = [digest for each in plain.values() for name, digest in each.documents.items() if name != "stdout"]
    assert len(set(digests)) == len(digests)


@pytest.mark.parametrize("other", [False, True])
def test_nothing_of_the_surroundings_is_seen_in_what_is_left_behind(
    other: bool,  # noqa: FBT001 -- a parameter of the test
    asked: Mapping[str, Job],
    plain: Mapping[str, Left],
    folder: Path,
) -> None:
    around = everything_at_once(folder, other=other)
    found = everything_left(around, asked)
    assert list(differences(plain, found)) == []
    # And they came through.
    compiled = (folder / around.environment["LC_ALL"]).exists()
    for name, each in found.items():
        seen = each.seen
        assert seen.keys() >= plain[name].seen.keys()
        assert seen["workers"] == (5 if other else 1)
        assert ("killed" in seen) is other
        assert seen["umask"] == around.umask
        assert seen["folder"] == around.folder
        assert seen["zone"] == ("+14" if other else "NST")
        assert seen["decimal"] == ("," if compiled else ".")
    assert len({each.seen["hash"] for each in found.values()}) == 1
    assert {each.seen["workers"] for each in plain.values()} == {2}


def test_every_difference_is_named(plain: Mapping[str, Left]) -> None:
    good = plain["verify training"]
    for wrong, named in (
        (dataclasses.replace(good, status=1), "status 1 and not 0"),
        (dataclasses.replace(good, documents={**good.documents, "json": "0" * 64}), "another json"),
        (
            dataclasses.replace(good, documents={k: v for k, v in good.documents.items() if k != "sarif"}),
            "another sarif",
        ),
        (dataclasses.replace(good, documents={**good.documents, "more": "0" * 64}), "another more"),
    ):
        other = {**plain, "verify training": wrong}
        assert list(differences(plain, other)) == [f"verify training: {named}"]


def test_the_soak_differs_in_one_thing_at_a_time(folder: Path) -> None:
    every = list(one_thing_at_a_time(folder))
    assert len({each.name for each in every}) == len(every)
    assert {each.cores for each in every} == {1, 2, 4}
    # Workers and cold or warm caches, three times each.
    assert sum("cache" in each.name for each in every) == 3 * 2 * 3
    assert len({each.environment.get("PYTHONHASHSEED") for each in every} - {None}) >= 2
    assert len({each.environment.get("LC_ALL") for each in every} - {None}) >= 2
    plain = dataclasses.asdict(PLAIN)
    for each in every:
        fields = {name for name, value in dataclasses.asdict(each).items() if name != "name" and value != plain[name]}
        assert fields or each.cores == PLAIN.cores
        assert len(fields - {"cores"}) <= 1 or each.name.startswith("everything")


def test_the_soak_fails_where_something_differs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = {"verify": Job([], [], status=ExitCode.VERIFIED)}

    def found(around: Surroundings, _: Mapping[str, Job]) -> dict[str, Left]:
        return {"verify": Left(int(around.name == "odd"), {}, {})}

    def two(_: Path) -> Iterator[Surroundings]:
        yield Surroundings("even")
        yield Surroundings("odd")

    monkeypatch.setattr(determinism, "jobs", lambda _: asked)
    monkeypatch.setattr(determinism, "compiled_locales", lambda _: None)
    monkeypatch.setattr(determinism, "everything_left", found)
    monkeypatch.setattr(determinism, "one_thing_at_a_time", two)
    assert determinism.main() == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["same", "differs", "odd:"]
    monkeypatch.setattr(determinism, "one_thing_at_a_time", lambda _: [Surroundings("even")])
    assert determinism.main() == 0
    monkeypatch.setattr(determinism, "jobs", lambda _: {"verify": Job([], [], status=ExitCode.REFUTED)})
    assert determinism.main() == 1
