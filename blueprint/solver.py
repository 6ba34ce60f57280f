"""The only module that imports z3, and so only a worker process imports this one.

Laws kept here: Z3 is given exactly the text, once, by a fresh Solver with fixed seeds and a resource limit, and only
`== z3.unsat` and `== z3.sat` count as answers. No clock takes part. Models and cores leave as plain data.
"""

from __future__ import annotations

import re

import z3

from blueprint.errors import UsageError
from blueprint.verdict import Answer, Verdict

DECIDER = f"z3 {z3.get_version_string()}"
MAX_BUDGET = 2**31 - 1  # Z3 reads 0 as "no limit" and wraps above 32 bits
UNDECIDED = "undecided within budget"
FAILED = "solver error"

_CORES = "(set-option :produce-unsat-cores true)\n"
_NAMED = re.compile(r"^\(assert \(! .* :named h([0-9]+)\)\)$", re.MULTILINE)


def fresh_context() -> z3.Context:
    """A context that a batch of ground questions may share."""
    return z3.Context()


def decide(text: str, variables: int, budget: int, *, ground: bool, context: z3.Context | None = None) -> Answer:
    """PROVED where Z3 finds `text` unsatisfiable, REFUTED with values of v0, v1, ... where it finds a model.

    A universal question is asked in a context of its own, so that its resource count depends on nothing else, and a
    proof is asked once more for its unsat core.
    """
    if type(budget) is not int or not 0 < budget <= MAX_BUDGET:
        raise UsageError(f"a solver budget is a whole number from 1 to {MAX_BUDGET}")
    try:
        chosen = context if ground and context is not None else fresh_context()
        solver = _solver(text, budget, chosen)
        result = solver.check()
        resource = 0 if ground else _resource(solver)
        if result == z3.unsat:
            core = () if ground else _core(text, min(MAX_BUDGET, 4 * resource + 10_000), chosen)
            return Answer(Verdict.PROVED, DECIDER, core=core, resource=resource)
        if result == z3.sat:
            model = _model(solver.model(), variables, chosen)
            return Answer(Verdict.REFUTED, DECIDER, model=model, resource=resource)
    except (z3.Z3Exception, ValueError):  # ValueError: a value in the model has more digits than Python prints
        return Answer(Verdict.UNKNOWN, DECIDER, FAILED)
    return Answer(Verdict.UNKNOWN, DECIDER, UNDECIDED, resource=resource)


def _solver(text: str, budget: int, context: z3.Context) -> z3.Solver:
    solver = z3.Solver(ctx=context)
    solver.set("random_seed", 0)
    solver.set("rlimit", budget)
    solver.from_string(text)
    return solver


def _resource(solver: z3.Solver) -> int:
    return int(solver.statistics().get_key_value("rlimit count"))


def _model(model: z3.ModelRef, variables: int, context: z3.Context) -> dict[str, int]:
    names = (f"v{i}" for i in range(variables))
    return {name: model.eval(z3.Int(name, context), model_completion=True).as_long() for name in names}


def _core(text: str, budget: int, context: z3.Context) -> tuple[int, ...]:
    """The hypotheses that a second proof used; all of them where it finds none.

    Core tracking replaces Z3's arithmetic strategy by its incremental core, which fails on some questions that the
    default decides. So it never takes part in the verdict, and not finding a smaller core only names more premises.
    """
    solver = _solver(_CORES + text, budget, context)
    if solver.check() == z3.unsat:
        return tuple(sorted(int(literal.decl().name().removeprefix("h")) for literal in solver.unsat_core()))
    return tuple(int(position) for position in _NAMED.findall(text))
