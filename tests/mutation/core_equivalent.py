"""Mutants of the trusted core that change nothing, each with a proof."""

from __future__ import annotations

from typing import Final

_SET_BEFORE = "read of a worker with pending questions alone, and `give` sets both together"
_NO_VARIABLES = "facts about numbers alone have no variable, so that no value is looked up"

_PIPED = "a process that is given pipes has them: the question is put for the type's sake alone"
_DEADLINE = "no more than when a worker is killed, after which its question is asked again as ever"

_ALIAS = "named in annotations alone, which nothing evaluates"
_ALIASES = {
    "bindings": ("Bindings = Mapping[str, Mapping[str, str]]",),
    "claims/distributed": (
        "Tensors = Sequence[Pair[ExpectedTensor, DistributedValue]]",
        "Tasks = Sequence[Pair[ExpectedTask, Task]]",
    ),
    "claims/portable": (
        "PlanTasks = Sequence[Pair[ExpectedPlanTask, PlanTask]]",
        "Buffers = Sequence[Pair[ExpectedBuffer, Buffer]]",
    ),
    "expected": ("Expected = ExpectedTensor | ExpectedTask | ExpectedPlanTask | ExpectedBuffer | ExpectedBound",),
    "expected_bound": (
        (
            "ExpectedBound = ( ExpectedDevice | ExpectedRegion | ExpectedBinding | ExpectedCommand | ExpectedQueue"
            " | ExpectedInstruction | ExpectedSection | ExpectedEntry )"
        ),
    ),
    "facts": ("Word = enum.Enum | bool | str",),
    "gate": ('Observer = Callable[["Candidate"], None]',),
    "law": ("Applies = Callable[[Case], bool]", 'Closed = Callable[[Case], "sympy.Expr | int"]'),
    "matching": (
        "BoundEntity = Device | Region | BufferBinding | Command | Queue | Instruction | Section | EntryPoint",
        "Entity = DistributedValue | Task | Buffer | PlanTask | BoundEntity",
    ),
    "normalform": (
        "_Monomial = tuple[str, ...] # sorted, with repetitions",
        "_Polynomial = dict[_Monomial, int] # no zero coefficients",
    ),
    "plan": ("Boundary = tuple[str, str]",),
    "rule": (
        'When = Callable[[Case, "str | None"], bool]',
        "Operands = Contraction | Elements | Branches | Exchange | Parameters | ParameterExchange",
        "Target = TensorTarget | TaskTarget | CopiedTask | CopiedBuffer | Bound",
        "Source = OperationSource | ValueSource | AllParameters | EachTask | EachValue | Each | AttentionCore | Whole",
        "Rule = PrimitiveRule | PassRule | BoundaryRule",
    ),
    "smtlib": ("_Monomials = list[tuple[int, tuple[str, ...]]]",),
    "term": ("Term = Const | Var | Sum | Product",),
}
"""Names of types, as they are defined."""

_SHORTER_ALIASES = (
    ("gate", 'Observer = Callable[["Candidate"], None]', "Observer = Callable[[], None]"),
    ("law", "Applies = Callable[[Case], bool]", "Applies = Callable[[], bool]"),
    ("law", 'Closed = Callable[[Case], "sympy.Expr | int"]', 'Closed = Callable[[], "sympy.Expr | int"]'),
    ("rule", 'When = Callable[[Case, "str | None"], bool]', 'When = Callable[["str | None"], bool]'),
    ("rule", 'When = Callable[[Case, "str | None"], bool]', "When = Callable[[Case, ], bool]"),
)


def _without(line: str) -> str:
    """The definition of nothing under the same name, with the same remark."""
    name, _, value = line.partition(" = ")
    _, sign, remark = value.partition(" # ")
    return f"{name} = None{sign}{remark}"


_SEALED = "a seal is compared with seals of this process alone, which all have the same number"
_NO_FINDING = (
    "what is not proved, or of a law not applicable, has left a finding, and with one the answer is no already; and"
    " every relation has a claim, so that there is something that is proved"
)

_BASE = "every structure below says so for itself, and of the base there is no value"

EQUIVALENT: Final[dict[tuple[str, str, str], str]] = {
    ("blueprint/discharge.py", "self.expires = math.inf", "self.expires = None"): _SET_BEFORE,
    ("blueprint/discharge.py", 'self.outgoing = memoryview(b"")', "self.outgoing = None"): _SET_BEFORE,
    ("blueprint/discharge.py", "_CHUNK = 65_536", "_CHUNK = 65537"): (
        "how much is read or written at once; frames are put together whatever has come"
    ),
    (
        "blueprint/discharge.py",
        "if self.process.stdin is None or self.process.stdout is None:",
        "if self.process.stdin is None:",
    ): _PIPED,
    (
        "blueprint/discharge.py",
        "if self.process.stdin is None or self.process.stdout is None:",
        "if self.process.stdout is None:",
    ): _PIPED,
    (
        "blueprint/discharge.py",
        "if self.process.stdin is None or self.process.stdout is None:",
        "if self.process.stdin is None and self.process.stdout is None:",
    ): _PIPED,
    ("blueprint/discharge.py", 'raise RuntimeError("a worker has no pipes")', "pass"): _PIPED,
    (
        "blueprint/discharge.py",
        "events = [(key.data, mask) for key, mask in selector.select(max(0.0, wait))]",
        "events = [(key.data, mask) for key, mask in selector.select(max(1.0, wait))]",
    ): _DEADLINE,
    (
        "blueprint/discharge.py",
        "lost.update(i for i, worker in enumerate(self.pool.workers) if worker.pending and worker.expires < now)",
        "lost.update(i for i, worker in enumerate(self.pool.workers) if worker.pending and worker.expires <= now)",
    ): _DEADLINE,
    (
        "blueprint/discharge.py",
        "COMMAND, bufsize=0, start_new_session=True, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL,",
        "COMMAND, start_new_session=True, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL,",
    ): "pipes are read and written by their numbers, past whatever Python keeps for them",
    (
        "blueprint/solver.py",
        "core = _core(solver) if result == z3.unsat else ()",
        "core = _core(solver) if (result == z3.unsat) or True else ()",
    ): "without a proof Z3 names no hypothesis; and what it leaves open gets its core below",
    **{
        ("blueprint/worker.py", line, line.replace(', "big")', ", )")): "the most significant byte first is the default"
        for line in (
            'return len(data).to_bytes(LENGTH_BYTES, "big") + data',
            'batch = decoder.decode(sys.stdin.buffer.read(int.from_bytes(head, "big")))',
        )
    },
    **{
        (
            "blueprint/obligation.py",
            'degree = values["t"] if "t" in set(variables(each.left)) else 1',
            after,
        ): "the only left side that is no variable is t R, so that t always stands in it"
        for after in (
            'degree = values["t"] if "t" in set(variables(each.left)) else 2',
            'degree = values["t"] if ("t" in set(variables(each.left))) or True else 1',
        )
    },
    ("blueprint/rule.py", "SOURCE = -2", "SOURCE = -3"): "told from the other slots, and never taken as a position",
    ("blueprint/rule.py", "stage: bool = False", "stage: bool = None"): "asked for nothing but whether it is true",
    (
        "blueprint/ir/common.py",
        'Digest = Annotated[str, msgspec.Meta(pattern=r"\\A[0-9a-f]{64}\\Z", min_length=64, max_length=64)]',
        'Digest = Annotated[str, msgspec.Meta(pattern=r"\\A[0-9a-f]{64}\\Z", max_length=64)]',
    ): "the pattern has 64 characters",
    ("blueprint/facts.py", "words: tuple[Word, Word] | None = None", 'words: tuple[Word, Word] | None = ""'): (
        "the one place that makes facts says for each whether it is about words"
    ),
    (
        "blueprint/instances.py",
        "if member.phase is Phase.FORWARD and member.operation:",
        "if member.phase is Phase.FORWARD:",
    ): "what has no operation stands under none, which is never looked up",
    ("blueprint/instances.py", "groups, expected = [], 0", "groups, expected = [], 1"): (
        "of no group nothing is asked, and no number of members is a multiple of none"
    ),
    (
        "blueprint/instances.py",
        "for group in (groups if applicable and not vacuous else ())",
        "for group in (groups if not vacuous else ())",
    ): "a law that is not applicable has no groups",
    (
        "blueprint/normalform.py",
        "rising = all(value >= 0 and positive.issuperset(monomial) for monomial, value in factor.items() if monomial)",
        "rising = all(value >= 1 and positive.issuperset(monomial) for monomial, value in factor.items() if monomial)",
    ): "coefficients are whole numbers, and none is zero",
    (
        "blueprint/smtlib.py",
        "kept.update(i for i, line in enumerate(hypotheses) if line.is_positivity() and line.variables() & reached)",
        "kept.update(i for i, line in enumerate(hypotheses) if line.variables() & reached)",
    ): "every other line that shares a variable is kept already",
    (
        "blueprint/smtlib.py",
        "return variables.get(name) or variables.setdefault(name, Var(str(len(variables))))",
        "return variables.setdefault(name, Var(str(len(variables))))",
    ): "a default that is not needed is made and dropped",
    (
        "blueprint/ir/common.py",
        'Digest = Annotated[str, msgspec.Meta(pattern=r"\\A[0-9a-f]{64}\\Z", min_length=64, max_length=64)]',
        'Digest = Annotated[str, msgspec.Meta(pattern=r"\\A[0-9a-f]{64}\\Z", min_length=64, max_length=65)]',
    ): "the pattern has 64 characters",
    (
        "blueprint/ir/common.py",
        'EntityId = Annotated[str, msgspec.Meta(pattern=r"\\A[a-z]{1,16}:[0-9a-f]{64}\\Z", max_length=81)]',
        'EntityId = Annotated[str, msgspec.Meta(pattern=r"\\A[a-z]{1,16}:[0-9a-f]{64}\\Z", max_length=82)]',
    ): "the pattern has 81 characters at most",
    ("blueprint/smtlib.py", "_bounded(found[-1:], len(found))", "_bounded(found[+1:], len(found))"): (
        "each part was bounded where it was made; what is asked here is how many there are"
    ),
    (
        "blueprint/machine_transition.py",
        "for expected, found in matched.pairs[:1]:",
        "for expected, found in matched.pairs[:2]:",
    ): "every relation that is demanded of a program has one target",
    (
        "blueprint/concrete_transition.py",
        "alone = [each for each in matched if each.relation.sources and len(each.found) == 1]",
        "alone = [each for each in matched if len(each.found) == 1]",
    ): "a relation without sources has no source to be listed with what was found for it",
    **{
        (
            "blueprint/concrete_transition.py",
            f"return [Pair(each, {found}[found]) for each, found in matched.pairs if isinstance(each, {kind})]",
            f"return [Pair(each, {found}[found]) for each, found in matched.pairs]",
        ): "all targets of a relation are of one kind, and it is asked for where the first is of this one"
        for found, kind in (("devices", "ExpectedDevice"), ("queues", "ExpectedQueue"))
    },
    (
        "blueprint/codec.py",
        "same, end = 0, min(len(left), len(right))",
        "same, end = 0, max(len(left), len(right))",
    ): "behind the end of the shorter one the two differ, so that no place there is taken for the same",
    ("blueprint/codec.py", "middle = (same + end + 1) // 2", "middle = (same + end + 2) // 2"): (
        "any place behind `same` and not behind `end` will do, and as `same` is less than `end` this is one"
    ),
    (
        "blueprint/gate.py",
        'return digest("committed", 1, [*parts, *words])',
        'return digest("committed", 2, [*parts, *words])',
    ): _SEALED,
    (
        "blueprint/gate.py",
        'return digest("committed", 1, [*parts, *words])',
        'return digest("committed", None, [*parts, *words])',
    ): _SEALED,
    ("blueprint/gate.py", "self.of = of", "self.of = None"): (
        "a seal is made in one place alone, where it is given its word before anything reads it"
    ),
    (
        "blueprint/gate.py",
        "return unchanged_report(self.facts.boundary[0].value, self.context.branch.value, self.facts.name, conformant)",
        "return unchanged_report(self.facts.boundary[1].value, self.context.branch.value, self.facts.name, conformant)",
    ): "asked for a pass within a stage alone, both of whose stages are the same",
    (
        "blueprint/examine.py",
        "return [chain.cut(next(_first(chain.positions, faulty), len(chain.positions))) for chain in chains]",
        "return [chain.cut(next(_first(chain.positions, faulty), None)) for chain in chains]",
    ): "a slice up to None is the whole, as one up to the length is",
    ("blueprint/bindings.py", 'if field.name != "kind"', ""): (
        "the types are looked up by the keys of `flat_bindings`, none of which is `kind`"
    ),
    (
        "blueprint/verifier.py",
        "_WORST = (Status.REFUTED, Status.UNKNOWN, Status.VACUOUS, Status.NOT_RUN, Status.PROVED)",
        "_WORST = (Status.REFUTED, Status.UNKNOWN, Status.VACUOUS, Status.PROVED)",
    ): "looked through for the statuses of verdicts, and there is no verdict of this one",
    **{
        (
            "blueprint/verifier.py",
            "known: dict[bytes, Evidence] = field(default_factory=dict, init=False, repr=False)",
            f"known: dict[bytes, Evidence] = field(default_factory=dict, {flags})",
        ): "a dataclass asks for nothing but whether they are true"
        for flags in ("init=None, repr=False", "init=False, repr=None")
    },
    **{
        ("blueprint/verifier.py", "return all(status is Status.PROVED for status in (*claims, *applicable))", after): (
            _NO_FINDING
        )
        for after in (
            "return any(status is Status.PROVED for status in (*claims, *applicable))",
            "return all(status is Status.PROVED for status in (*claims,))",
            "return all(status is Status.PROVED for status in (*applicable,))",
        )
    },
    (
        "blueprint/normalform.py",
        "yield _reduce(_times(_difference(comparison, system), scale), system.rules) if equation else {(): 1}",
        "yield _reduce(_times(_difference(comparison, system), scale), system.rules) if equation else {(): 2}",
    ): "what is left is asked for nothing but whether it is something",
    (
        "blueprint/normalform.py",
        "rising = all(value >= 0 and positive.issuperset(monomial) for monomial, value in factor.items() if monomial)",
        "rising = all(value > 0 and positive.issuperset(monomial) for monomial, value in factor.items() if monomial)",
    ): "a polynomial has no coefficient of zero",
    (
        "blueprint/normalform.py",
        "return {tuple(sorted(name for name in named if name in positive)): 1}",
        "return {tuple(sorted(name for name in named if name in positive)): 2}",
    ): "twice a difference is nothing exactly where the difference is",
    (
        "blueprint/normalform.py",
        "return {(): value} if value else {}",
        "return {(): value} if (value) or True else {}",
    ): "a coefficient of zero is left out by the next sum or product, and nothing is asked of it before",
    ("blueprint/normalform.py", "if divisor == 0 or dividend % divisor:", "if divisor == 0:"): (
        "where a division is not exact the rule is false at the point, which then refutes nothing"
    ),
    ("blueprint/normalform.py", "for count in range(len(free) + 1)", "for count in range(len(free) + 2)"): (
        "no more variables can be chosen than there are"
    ),
    **{
        ("blueprint/expected_concrete.py", last, ""): "the last arm of a match, behind which nothing stands"
        for last in ("case _: return", "case _: pass")
    },
    (
        "blueprint/expected.py",
        "if not targets or not isinstance(rule.signature, ValueSource):",
        "if not isinstance(rule.signature, ValueSource):",
    ): "without targets no value has a tensor, and a relation without one is not made",
    ("blueprint/expected.py", "case _: return", ""): "the last arm of a match, behind which nothing stands",
    **{
        (f"blueprint/{module}.py", line, _without(line)): _ALIAS for module, lines in _ALIASES.items() for line in lines
    },
    **{(f"blueprint/{module}.py", line, after): _ALIAS for module, line, after in _SHORTER_ALIASES},
    (
        "blueprint/law.py",
        "AnyLaw = Law | ProjectionLaw | MemoryLaw | MaximumLaw | BoundLaw | Requirement",
        "AnyLaw = None",
    ): "named in annotations, which nothing evaluates, and in an alias of such",
    **{
        (path, line, line.replace("fields=True", "fields=False")): _BASE
        for path, name in (
            ("blueprint/bundle.py", "_Record"),
            ("blueprint/ir/concrete.py", "_Struct"),
            ("blueprint/ir/contract.py", "_Contract"),
            ("blueprint/ir/machine.py", "_Struct"),
            ("blueprint/ir/request.py", "_Binding"),
        )
        for line in (f"class {name}(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):",)
    },
    **{
        ("blueprint/chunks.py", before, before.replace("{}", "None")): _NO_VARIABLES
        for before in ("true = [each for each in goal if holds(each, {})]", "if not holds(each, {}):")
    },
    (
        "blueprint/claims/machine.py",
        "first: Collective | msgspec.UnsetType = msgspec.UNSET",
        "first: Collective | msgspec.UnsetType = None",
    ): "`collective_facts` asks of it nothing but whether it is a collective",
    **{
        ("blueprint/arrangements.py", "found = instances.get(law.arrangement, ())", after): (
            "where nothing is arranged, `found` is asked for nothing but whether it is something, and None is as little"
        )
        for after in ("found = instances.get(law.arrangement, )", "found = instances.get(law.arrangement, None)")
    },
    (
        "blueprint/arrangements.py",
        'for instance in found or (Instance("this plan", law.arrangement.value, 0, 0, ()),):',
        'for instance in found or (Instance("this plan", law.arrangement.value, 0, 0, None),):',
    ): "where nothing was found the law does not apply, and its goal is not read",
}
"""File, line before and line after -> why no test could tell the two apart."""
