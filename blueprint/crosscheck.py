"""An optional third decider: cvc5 on the same text.

Laws kept here: cvc5 shares no code with the other deciders, runs under a resource limit and never under a clock, and
only the exact words `unsat` and `sat` count.
"""

from __future__ import annotations

from blueprint.errors import UsageError
from blueprint.verdict import Verdict

RESOURCE_LIMIT = 500_000


def decide(text: str) -> Verdict:
    """PROVED where cvc5 finds `text` unsatisfiable, REFUTED where it finds it satisfiable.

    Raises UsageError where cvc5 is not installed: a cross-check that was asked for is never left out in silence.
    """
    try:
        import cvc5  # noqa: PLC0415 -- optional
    except ImportError:
        raise UsageError(
            "the cross-check needs cvc5, which is not installed: pip install 'blueprint-verifier[recheck]'"
        ) from None
    solver = cvc5.Solver()
    solver.setOption("rlimit", str(RESOURCE_LIMIT))
    parser = cvc5.InputParser(solver)
    printed = []
    try:
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "obligation")
        symbols = parser.getSymbolManager()
        while not (command := parser.nextCommand()).isNull():
            printed.append(command.invoke(solver, symbols).strip())
    except RuntimeError:  # what cvc5 raises for text it cannot read and for its own failures
        return Verdict.UNKNOWN
    return {"unsat": Verdict.PROVED, "sat": Verdict.REFUTED}.get("".join(printed), Verdict.UNKNOWN)
