"""The only module that imports z3, and so only a worker process imports this one.

Laws kept here: Z3 is given exactly the text, by a fresh Solver with fixed seeds and a resource limit, and only
`== z3.unsat` and `== z3.sat` count as answers. No clock takes part. Models and cores leave as plain data.
"""

from __future__ import annotations

import re

import z3

from blueprint.errors import UsageError
from blueprint.settings import MAX_BUDGET
from blueprint.verdict import Answer, Verdict

DECIDER = f"z3 {z3.get_version_string()}"
BRIEF = 50_000
"""Steps for Z3's incremental core, which takes a few hundred for an easy question, before the slower strategy."""
UNDECIDED = "undecided within budget"
FAILED = "solver error"

_CORES = "(set-option :produce-unsat-cores true)\n"
_NAMED = re.compile(r"^\(assert \(! .* :named h([0-9]+)\)\)$", re.MULTILINE)


def fresh_context() -> z3.Context:
    """A context that a batch of ground questions may share."""
    return z3.Context()


def decide(text: str, variables: int, budget: int, *, ground: bool, context: z3.Context | None = None) -> Answer:
    """PROVED where Z3 finds `text` unsatisfiable, REFUTED with values of v0, v1, ... where it finds a model.

    Z3's incremental core is asked first, within a brief budget: it answers most questions before the strategy for
    QF_NIA has set itself up, and knows the hypotheses that a proof used. Where it gives up, the strategy decides,
    with an arithmetic of its own.
    A universal question is asked in contexts of its own, so that its resource count depends on nothing else.
    """
    if type(budget) is not int or not 0 < budget <= MAX_BUDGET:
        raise UsageError(f"a solver budget is a whole number from 1 to {MAX_BUDGET}")
    try:
        chosen = context if ground and context is not None else fresh_context()
        solver, result = _asked(_incremental(chosen), text if ground else _CORES + text, min(budget, BRIEF))
        core = _core(solver) if result == z3.unsat else ()
        if result == z3.unknown:
            chosen = chosen if ground else fresh_context()
            solver, result = _asked(z3.Solver(ctx=chosen), text, budget)
            core = () if ground else tuple(int(position) for position in _NAMED.findall(text))
        resource = 0 if ground else _resource(solver)
        if result == z3.unsat:
            return Answer(Verdict.PROVED, DECIDER, core=core, resource=resource)
        if result == z3.sat:
            model = _model(solver.model(), variables, chosen)
            return Answer(Verdict.REFUTED, DECIDER, model=model, resource=resource)
    except (z3.Z3Exception, ValueError):  # ValueError: a value in the model has more digits than Python prints
        return Answer(Verdict.UNKNOWN, DECIDER, FAILED)
    return Answer(Verdict.UNKNOWN, DECIDER, UNDECIDED, resource=resource)


def _incremental(context: z3.Context) -> z3.Solver:
    """Z3's incremental core with its simplex, whose steps hang little on seeds, names and order (ADR 0016)."""
    solver = z3.SimpleSolver(ctx=context)
    solver.set("arith.solver", 2)
    return solver


def _asked(solver: z3.Solver, text: str, budget: int) -> tuple[z3.Solver, z3.CheckSatResult]:
    solver.set("random_seed", 0)
    solver.set("rlimit", budget)
    solver.from_string(text)
    return solver, solver.check()


def _resource(solver: z3.Solver) -> int:
    return int(solver.statistics().get_key_value("rlimit count"))


def _model(model: z3.ModelRef, variables: int, context: z3.Context) -> dict[str, int]:
    names = (f"v{i}" for i in range(variables))
    return {name: model.eval(z3.Int(name, context), model_completion=True).as_long() for name in names}


def _core(solver: z3.Solver) -> tuple[int, ...]:
    """The positions of the hypotheses that a proof used."""
    return tuple(sorted(int(literal.decl().name().removeprefix("h")) for literal in solver.unsat_core()))
