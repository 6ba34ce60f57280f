"""Help, versions and lists: complete, and without loading a solver."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata

import pytest

from blueprint.bindings import binding_words, flat_bindings
from blueprint.bundle import read_bundle
from blueprint.cli import completing
from blueprint.derivation import derive
from blueprint.explanations.claims import CLAIMS
from blueprint.explanations.codes import CODES
from blueprint.frontend.models import BUILTIN, NOT_COVERED
from blueprint.frontend.request import training_request
from blueprint.session import open_rulebook
from blueprint.settings import DEFAULT_BUDGET
from tests.cli.conftest import ROOT, Run

COMMANDS = ("derive training", "verify", "report", "explore", "prove", "laws", "models", "explain")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_with_an_example(command: str, blueprint: Run) -> None:
    done = blueprint(*command.split(), "--help")
    assert done.code == 0
    assert done.err == ""
    assert b"\n  Example" in done.out
    assert f"\n    blueprint {command}".encode() in done.out


@pytest.mark.parametrize("workload", ["training", "inference"])
def test_derive_has_an_example_with_a_target_a_stack_and_a_file(workload: str, blueprint: Run) -> None:
    examples = blueprint("derive", workload, "--help").out.decode().partition("\nOptions:")[0]
    assert all(words in examples for words in (" --target ", " --scope stack ", " --model ./config.json "))


@pytest.mark.parametrize("command", ["verify", "report", "prove"])
def test_the_help_says_the_budget(command: str, blueprint: Run) -> None:
    words = b" ".join(blueprint(command, "--help").out.split())
    assert f"Solver steps for one obligation; {DEFAULT_BUDGET} if absent.".encode() in words


def test_the_help_lists_every_command_and_status(blueprint: Run) -> None:
    done = blueprint("-h")
    assert done.code == 0
    assert all(f"\n  {command.split()[0]} ".encode() in done.out for command in COMMANDS)
    words = b" ".join(done.out.split())
    assert b"0 verified, 1 refuted, 2 wrong usage or input, 3 not established, 4 internal error, 130" in words


def test_the_version_names_everything_that_decides(process: Run) -> None:
    done = process("--version")
    expected = "".join(
        f"{name} {metadata.version(package)}\n"
        for name, package in (
            ("blueprint", "blueprint-verifier"),
            ("z3", "z3-solver"),
            ("cvc5", "cvc5"),
            ("sympy", "sympy"),
            ("msgspec", "msgspec"),
        )
    )
    assert (done.code, done.out.decode(), done.err) == (0, expected, "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "no command is given"),
        (["derive"], "no workload is given"),
        (["prov"], "Did you mean 'prove'?"),
        (["verify"], "Missing argument 'BUNDLE...' (see `blueprint verify --help`)"),
        (["verify", "--frmat", "json", "x"], "No such option"),
        (["--color", "sometimes", "models"], '--color: "sometimes" is not known; choose auto or always or never'),
        (["-q", "-v", "models"], "--quiet: cannot be combined with --verbose"),
        (["models", "gpt3"], "unexpected extra argument"),
        (["laws", "--format", "html"], '--format: "html" is not known; choose text or markdown or latex or json'),
    ],
)
def test_wrong_usage_is_one_line(arguments: list[str], words: str, blueprint: Run) -> None:
    done = blueprint(*arguments)
    assert (done.code, done.out) == (2, b"")
    assert done.err.startswith("blueprint: error: ")
    assert done.err.count("\n") == 1
    assert words in done.err


def test_an_argument_cannot_speak_to_the_terminal(blueprint: Run) -> None:
    done = blueprint("verify", "--\x1b[2J\x9b\u202e" + "x" * 10_000)
    assert done.code == 2
    assert done.err.isascii()
    assert "\x1b" not in done.err
    assert len(done.err) < 600


def test_models_lists_the_built_in_and_the_refused(blueprint: Run) -> None:
    done = blueprint("models")
    assert (done.code, done.err) == (0, "")
    built_in, refused = done.out.decode().split("known models that are refused")
    assert {line.split()[0] for line in built_in.splitlines()[2:]} == set(BUILTIN)
    assert "gpt3-175b      12288  49152   96   96   128  96   50257       2048" in built_in
    assert all(f"  {name}" in refused and reason in refused for name, reason in NOT_COVERED.items())


def _loaded(program: str) -> set[str]:
    """The modules that a process has loaded after `program`."""
    script = f"import sys\nfrom blueprint.cli import run\n{program}\nprint(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("--help", 0),
        ("--version", 0),
        ("verify --help", 0),
        ("report --help", 0),
        ("report tests/hostile/03_cut_object.json --relation x", 2),
        ("verify tests/hostile/03_cut_object.json --format sarif", 2),
        ("verify tests/hostile/03_cut_object.json --format junit", 2),
        ("--show-config", 0),
        ("derive training --help", 0),
        ("models", 0),
        ("verify x.json --format nonsense", 2),
        ("verify x.json --jobs 1e3", 2),
        ("verify x.json --report text", 2),
        ("prove --budget +1", 2),
        ("laws --format nonsense", 2),
        ("derive inference --model gpt2", 2),
        ("derive training --model gpt2 --tensor x --microbatch 1 --sequence 8", 2),
        ("derive training --model gpt3 --tensor 1 --microbatch 1 --sequence 8", 2),
        ("derive training --model gpt2 --tensor 5 --microbatch 1 --sequence 8", 2),
        ("verify no-such-file.json", 2),
        ("verify tests/hostile/03_cut_object.json", 2),
        ("verify -", 2),
    ],
)
def test_no_solver_is_loaded_before_it_is_needed(line: str, code: int) -> None:
    loaded = _loaded(f"assert run({line.split()!r}) == {code}")
    assert "blueprint.cli" in loaded
    assert not {"z3", "sympy", "cvc5", "rich"} & loaded


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("ver", {"verify"}),
        ("verify --format j", {"json", "junit"}),
        ("verify --report sa", {"sarif="}),
        ("verify --exp", {"--expect"}),
        ("verify --expect micro", {"microbatch=", "microbatches="}),
        ("verify --cross-check c", {"cvc5"}),
        ("--color a", {"auto", "always"}),
        ("laws --format m", {"markdown"}),
        ("derive training --dtype b", {"bfloat16"}),
        ("derive training --recompute s", {"selective"}),
        ("derive training --communication s", {"sequence-parallel"}),
        ("derive training --model gpt2-", {"gpt2-medium", "gpt2-large", "gpt2-xl"}),
        ("derive training --zero 3", {"3"}),
        ("derive inference --attention p", {"paged"}),
        ("derive inference --scope s", {"stack"}),
        ("derive inference --target q", {"queue"}),
        ("derive inference --dtype f", {"float32", "float16"}),
        ("report x.json --only pro", {"proved"}),
        ("report x.json --stage m", {"model", "machine"}),
        ("report x.json --rule training.mlp", {"training.mlp", "training.mlp_activation"}),
        ("explain training.mlp", {"training.mlp", "training.mlp_activation"}),
        ("explain claim.exact_w", {"claim.exact_work"}),
        ("explain digest.p", {"digest.parent"}),
        ("prove --cross-check c", {"cvc5"}),
        ("prove training.mlp_", {"training.mlp_activation"}),
    ],
)
def test_a_shell_is_told_what_may_stand_there(words: str, offered: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    line = f"blueprint {words}"
    monkeypatch.setenv("_BLUEPRINT_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - 1))
    command = [sys.executable, "-m", "blueprint"]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert set(done.stdout.split()) == offered


def test_what_a_shell_offers_is_all_there_is(blueprint: Run) -> None:
    rules = {each.id for each in open_rulebook(None).rules}
    assert set(completing.rule_ids()) == rules
    assert set(completing.complete_name("")) >= {*rules, *CODES, *(f"claim.{kind}" for kind in CLAIMS)}
    assert set(completing.complete_model("")) == set(BUILTIN)
    bundle = derive(training_request(BUILTIN["gpt2"], sequence=64, tensor=2))
    assert sorted(completing.EXPECTED) == sorted(flat_bindings(binding_words(read_bundle(bundle))))
    words = b" ".join(blueprint("verify", "--help").out.split())
    assert f"Keys: {', '.join(completing.EXPECTED)}.".encode() in words


def test_no_solver_is_loaded_for_a_shell() -> None:
    program = "from blueprint.cli import completing as c\nassert c.complete_name('') and c.complete_model('')"
    assert not {"z3", "sympy", "cvc5", "rich"} & _loaded(program)


def test_a_shell_is_given_its_script(process: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    done = process("--show-completion", "bash")
    assert (done.code, done.err) == (0, "")
    assert b"complete -o default -F _blueprint_completion blueprint" in done.out
    done = process("--show-completion", "no-shell")
    assert (done.code, done.out) == (2, b"")


def test_help_loads_little() -> None:
    loaded = _loaded("assert run(['--help']) == 0")
    assert not {"msgspec", "importlib.metadata"} & loaded
