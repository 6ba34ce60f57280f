"""What each code of a finding or an error means, in the order in which a run can meet them."""

from __future__ import annotations

from typing import Final

from blueprint.explanations.entry import Entry, Group

_BYTES: Final = Group(
    "a file that cannot be used",
    {
        "overlay.profile": Entry(
            what="A device profile names a type twice, or lacks one of a plan that is verified.",
            why="A least time with another type's peak would be a number about nothing.",
            example="A plan in float32 and a profile with a peak for bfloat16 alone.",
            remedy="Add the type to the profile's peaks; `blueprint explore --help` names the built-in one.",
            status=2,
        ),
        "input": Entry(
            what="A file cannot be read or written, or is no regular file.",
            why="Nothing was looked at, so nothing is established.",
            example="blueprint verify no-such-file.json",
            remedy="Check the path and its permissions; `-` means standard input.",
            status=2,
        ),
        "codec.decode": Entry(
            what="The bytes are no JSON of the declared structure: a wrong type, a missing or an unknown field.",
            why="What does not decode is not guessed at. The place is a JSON path such as $.stages[1].snapshot.",
            example="A number stands in quotes, or the file is cut off.",
            remedy="Write the bundle again with `blueprint derive`, or mend the named place.",
            status=2,
        ),
        "codec.canonical": Entry(
            what="The bytes decode, but are not the one canonical form of what they say.",
            why="Digests are over bytes; two spellings of one content would have two digests.",
            example="The bundle was pretty-printed, or its keys are not sorted.",
            remedy="`jq -jcS . edited.json` writes the canonical form; `blueprint derive` writes no other.",
            status=2,
        ),
        "codec.limit": Entry(
            what="A file, a number, a list or the nesting is beyond a declared limit.",
            why="Limits keep a hostile file from taking the machine; beyond 2^63 - 1 a planner's integers overflow.",
            example="A bundle of over 50 MiB, or a count of 10^40.",
            remedy="Derive a smaller plan; a legitimate count above the limit is refused on purpose.",
            status=2,
        ),
    },
)

_REQUEST: Final = Group(
    "a command or a request that is refused",
    {
        "usage": Entry(
            what="A command, an option or a value has no meaning.",
            why="Ignoring it would promise something that does not happen.",
            example="blueprint verify block.json --expect tensr=8",
            remedy="`blueprint COMMAND --help` lists what exists, with an example.",
            status=2,
        ),
        "domain": Entry(
            what="The shape and the strategy do not fit the laws: a split is not exact, or a value is out of range.",
            why="Rounding would make every later number an estimate; the laws are proved for exact shares.",
            example="12 heads on --tensor 5; --zero 1 with --data 1.",
            remedy="The message names the dimension and the degree; choose a degree that divides it.",
            status=2,
        ),
        "model.not_covered": Entry(
            what="The model has a feature for which no law exists yet.",
            why="Deriving it with the laws of another architecture would give numbers that look right.",
            example="Grouped-query attention, a gated MLP, RMS norm.",
            remedy="`blueprint models` lists what is covered. A new law needs a rule: see rules/README.md.",
            status=2,
        ),
        "model.domain": Entry(
            what="The request inside a bundle lies outside the laws' domain, or its model is not covered.",
            why="No claim can be asked about it, whatever else the bundle shows.",
            example="A bundle's tensor degree is changed to one that does not divide its heads.",
            remedy="As for `domain` and `model.not_covered`; a bundle that `derive` wrote never has this finding.",
        ),
        "obligation": Entry(
            what="A rule or a law says something that is no sum of products of known symbols, or is too large.",
            why="Only that fragment is decided in the same way by two independent deciders.",
            example="A right side with a fraction: 2*B*S*H**2/t.",
            remedy="Multiply both sides by the divisor: t*W = 2*B*S*H**2. rules/README.md says more.",
            status=2,
        ),
        "rulebook": Entry(
            what="A rules folder is not complete and closed, or one of its files cannot be run.",
            why="A rulebook with a hole would leave claims unasked without anybody seeing it.",
            example="A file that no list names; a law without a false variant; an equation without its own quantity.",
            remedy="The message names the file or the law; rules/README.md has the steps.",
            status=2,
        ),
    },
)

_SESSION: Final = Group(
    "digests, rulebook, stages and contracts of a bundle",
    {
        "digest.request": Entry(
            what="The recorded digest of the request is not that of the request in the bundle.",
            why="Everything else hangs on the request: with another one, another statement was derived.",
            example="The number of microbatches is edited in place.",
            remedy="Derive again for the request that you mean.",
        ),
        "digest.session": Entry(
            what="The session's fingerprint is not the digest of request and rulebook together.",
            why="It says under which rules and for which request all stages were derived.",
            example="The rulebook's digest is exchanged and the fingerprint left as it was.",
            remedy="Derive again; a fingerprint is never written by hand.",
        ),
        "digest.parent": Entry(
            what="A snapshot names a parent other than the snapshot before it.",
            why="Lineage points into the parent; with another parent it points nowhere.",
            example="A task's work is changed, and with it the snapshot's digest, but not what its child names.",
            remedy="Mend the first stage that is wrong and derive the later ones again.",
        ),
        "digest.transition": Entry(
            what="A transition's source and target digests are not those of the two snapshots beside it.",
            why="Its report and contract would then be about something else.",
            example="A snapshot is exchanged and its transition kept.",
            remedy="As for `digest.parent`: it mostly comes with it.",
        ),
        "rulebook.revision": Entry(
            what="The bundle was derived under another revision of the rules than the installed one.",
            why="Rules of another revision may mean something else, so the bundle is neither right nor wrong by these.",
            example="A bundle of last month, verified after an update.",
            remedy="Derive again, or verify with the version that wrote it; `--rules DIR` names another rulebook.",
            status=3,
        ),
        "rulebook.digest": Entry(
            what="The bundle names the installed revision, but other rule files.",
            why="Somebody changed a rule without a new revision, or the record is forged.",
            example="A rule is edited in a checkout and bundles from before are verified.",
            remedy="Raise REVISION in rules/__init__.py whenever a rule's meaning changes, and derive again.",
        ),
        "stage.schema": Entry(
            what="A record's snapshot is of another stage than the record says.",
            why="The rules of a boundary speak of one kind of snapshot.",
            example="The distributed snapshot stands in the place of the plan.",
            remedy="Put each snapshot into its own stage.",
        ),
        "stage.order": Entry(
            what="The stages are not the model and then, branch by branch, distributed, portable, concrete, machine.",
            why="Every stage is justified by the one before it.",
            example="The distributed stage is left out.",
            remedy="Show every stage from the model on.",
        ),
        "stage.adjacency": Entry(
            what="There is not exactly one transition for each pair of adjacent stages.",
            why="A stage without its transition has no contract and no record.",
            example="The same transition stands twice.",
            remedy="One transition for each stage but the first, in the same order.",
        ),
        "stage.pass": Entry(
            what="A stage names another pass than the one that makes it.",
            why="The pass decides which rules apply.",
            example="The distributed stage claims to come from PlanTransformerTrainingPass.",
            remedy="Record the pass that ran.",
        ),
        "stage.label": Entry(
            what="The label of a stage is not what its kind and the request's scope make of it.",
            why="A label is read first, and nothing else compares it with what the stage holds.",
            example='A stage is labelled "causal, INT4".',
            remedy="Label it by its kind and the blocks that it covers, as in `portable of 12 blocks`.",
        ),
        "stage.missing": Entry(
            what="The request asks for a stage that the bundle does not show.",
            why="What is not shown is not established, even if all that is shown is right.",
            example="A bundle is cut after the distributed stage.",
            remedy="Derive the whole chain.",
            status=3,
        ),
        "contract": Entry(
            what="A recorded contract is not that of the pass under this rulebook.",
            why="It states which rules, claims and laws the pass promises; a weaker one would hide what was not asked.",
            example="A rule's list of preserved claims is shortened in the record.",
            remedy="Derive again under the installed rules.",
        ),
    },
)

_STRUCTURE: Final = Group(
    "the structure of a snapshot",
    {
        "structure": Entry(
            what="A snapshot breaks a structural rule of its stage; the codes structure.* say which.",
            why="Claims are asked only about snapshots in which every name means something.",
            example="Any snapshot with a finding structure.*",
            remedy="Mend the named entity first: later stages are not looked at before.",
        ),
        "structure.stage": Entry(
            what="The header names another stage than the one that the snapshot stands for.",
            why="The header is part of the digest and of every id.",
            example="The plan's header says distributed.",
            remedy="Write the stage's own name.",
        ),
        "structure.version": Entry(
            what="The snapshot is written in a version of its schema that this tool does not read.",
            why="A field may mean something else in another version.",
            example="The header's version is one too high.",
            remedy="Derive again with this version, or verify with the other.",
        ),
        "structure.id": Entry(
            what="An entity's id is not the digest of its kind, parent, rule, sources and name.",
            why="Ids made so cannot be reused for something else without being seen.",
            example="A task is renamed and keeps its id.",
            remedy="Make ids with the codec's `entity_id`.",
        ),
        "structure.duplicate_id": Entry(
            what="Two entities of a snapshot have one id.",
            why="References to it would be ambiguous.",
            example="A task stands twice in the list.",
            remedy="Leave one of them out, or give each its own name.",
        ),
        "structure.duplicate_name": Entry(
            what="Two entities of one list have one local name.",
            why="Within a relation, the name tells targets apart.",
            example="Two tasks are called query_projection.forward.",
            remedy="Name each after its source and phase.",
        ),
        "structure.dangling": Entry(
            what="A list names an id that is not in the snapshot.",
            why="What it stands for cannot be checked.",
            example="A task reads a value that was removed.",
            remedy="Remove the reference or add the entity.",
        ),
        "structure.repeated": Entry(
            what="An id stands twice in one list.",
            why="It would be counted twice, or silently once.",
            example="A task lists the same input twice.",
            remedy="List it once.",
        ),
        "structure.ssa": Entry(
            what="A value has no producer, two producers, or one although it is an input.",
            why="Each value is made once: otherwise it has no definite content.",
            example="Two tasks write the same tensor.",
            remedy="Give each result a value of its own.",
        ),
        "structure.cycle": Entry(
            what="Tasks wait for each other in a circle.",
            why="Such a plan can never run.",
            example="A forward task reads the gradient of its own result.",
            remedy="Break the circle at the edge that should not be there.",
        ),
        "structure.order": Entry(
            what="The tasks do not stand in canonical order: after what they need, then by name.",
            why="One content must have one form, or equal plans would have different digests.",
            example="Two independent tasks change places.",
            remedy="Sort as blueprint/ir/order.py does.",
        ),
        "structure.value_order": Entry(
            what="The values do not stand in canonical order: inputs by name, then results by producer.",
            why="As for `structure.order`.",
            example="Two buffers change places.",
            remedy="Sort as blueprint/ir/structure.py does.",
        ),
        "structure.shape": Entry(
            what="A value has not one size for each axis, or names an axis twice.",
            why="Sizes are looked up by axis.",
            example="Three axes and two sizes.",
            remedy="Pair axes and sizes.",
        ),
        "structure.ranks": Entry(
            what="Ranks do not strictly increase, or one lies outside the mesh.",
            why="The claim about ranks compares count, first and last, which say all only then.",
            example="Ranks 0, 2, 1, 3.",
            remedy="List each rank once, in ascending order.",
        ),
        "structure.mesh": Entry(
            what="The snapshot's group has another number of ranks than the tensor-parallel degree.",
            why="A snapshot shows one tensor-parallel group.",
            example="A mesh with tensor = 8 and four ranks.",
            remedy="List the ranks of one group.",
        ),
        "structure.sharding": Entry(
            what="A value's shards do not cover it exactly once.",
            why="Otherwise elements are lost or doubled over the group.",
            example="The local sequence length is S/4 on a group of 8.",
            remedy="Split one axis by the degree, or none.",
        ),
        "structure.collective": Entry(
            what="A collective's description does not fit its task: missing, uncalled for, a wrong reduction or size.",
            why="Messages are counted from it.",
            example="An all-gather that sums.",
            remedy="Reducing kinds sum, gathering ones do not; local tasks have none; two ranks at least take part.",
        ),
        "structure.alignment": Entry(
            what="A buffer's alignment is no power of two.",
            why="No allocator accepts it, and layouts built on it would not be aligned.",
            example="alignment = 12.",
            remedy="Use the width of one element, or a greater power of two.",
        ),
        "structure.extent": Entry(
            what="A buffer ends behind the extent of its region.",
            why="The extent is what the buffers take up; the device's capacity is compared with it.",
            example="A region's extent leaves the last buffer out.",
            remedy="The extent is the end of the last buffer: its offset plus its size.",
        ),
        "structure.issue": Entry(
            what="A command or an instruction is issued never or twice, by queues, slots or sections.",
            why="What is never issued never runs, and what is issued twice runs twice.",
            example="A command is missing from its queue's order.",
            remedy="Put it once into the order of its queue, among the slots' issues, or into its section.",
        ),
        "structure.category": Entry(
            what="The queues do not stand in the order compute, collective, transfer, host, each at most once.",
            why="One content must have one form, and a category has one queue.",
            example="Two queues of the category compute.",
            remedy="Keep one queue for each category that has a command, in that order.",
        ),
        "structure.wait": Entry(
            what="A wait joins two commands of one queue.",
            why="A queue issues in order; such a wait says nothing, or contradicts the order.",
            example="A launch waits for an earlier launch.",
            remedy="List waits for dependencies between two queues alone.",
        ),
        "structure.slot": Entry(
            what="Two commands are issued in the same cycle and slot.",
            why="A slot issues one command in a cycle.",
            example="The cycles of two neighbours are both 7.",
            remedy="Give each command a cycle or a slot of its own.",
        ),
        "structure.route": Entry(
            what="A transfer has no two devices to go between, or a route ends where it begins.",
            why="A slot target routes every transfer from one device to another.",
            example="A plan with transfers is bound to slots on one device.",
            remedy="Name two devices, or bind to queues.",
        ),
        "structure.unreachable": Entry(
            what="No entry point lists the section of an instruction.",
            why="What no entry point reaches never runs.",
            example="The collective section is missing from the entry point.",
            remedy="List every section in an entry point.",
        ),
    },
)

_LINEAGE: Final = Group(
    "lineage and coverage: what belongs to which relation",
    {
        "lineage.dangling": Entry(
            what="A target names a source that is not in the parent snapshot.",
            why="It then follows from nothing.",
            example="A plan task's source is the id of a task of another derivation.",
            remedy="Name entities of the stage before.",
        ),
        "lineage.undeclared": Entry(
            what="A target says that it was made by a rule that this boundary does not have.",
            why="Only rules of the rulebook may make anything.",
            example="transform = training.fused_mlp.",
            remedy="Name the rule, or add it to the rulebook.",
        ),
        "lineage.kind": Entry(
            what="A target's kind of lineage is another than its rule states.",
            why="Readers must be able to tell what was lowered, derived or generated.",
            example="A gradient collective is called lowered where its rule says generated.",
            remedy="Use the rule's kind.",
        ),
        "lineage.source_value": Entry(
            what="A value's own source field and its lineage differ.",
            why="Two answers to one question: one of them would be believed.",
            example="source_value names the key projection, the lineage the query projection.",
            remedy="Make the two equal.",
        ),
        "coverage.missing": Entry(
            what="A rule demands a target that the snapshot does not have.",
            why="Work that is left out makes a plan cheaper than it is.",
            example="The recompute task of the softmax is missing.",
            remedy="`blueprint explain RULE` says which targets the rule makes, and when.",
        ),
        "coverage.unexpected": Entry(
            what="The snapshot has an entity that no rule demands.",
            why="Work without a reason is counted in no law but the closed totals.",
            example="A second all-reduce after the output projection.",
            remedy="Remove it, or state the rule that makes it.",
        ),
    },
)

_DECIDED: Final = Group(
    "claims and laws of a bundle (a refuted one has the code claim.KIND or law.ID)",
    {
        "claim.refuted": Entry(
            what="A claim is refuted, and no single field of it could be named.",
            why="It is false at the values of its counterexample all the same.",
            example="A comparison between several fields fails.",
            remedy="The report in JSON has the obligation and its counterexample.",
        ),
        "claim.unknown": Entry(
            what="The solver did not decide a claim within its budget, or only one of the two deciders did.",
            why="Undecided is never success.",
            example="blueprint verify block.json --budget 1",
            remedy="Give more steps with --budget; if that does not help, report it as a bug.",
            status=3,
        ),
        "claim.vacuous": Entry(
            what="A claim's premises contradict each other, so that anything would follow.",
            why="Such a proof says nothing.",
            example="A rule supposes t*q = n for a q that does not exist.",
            remedy="Mend the rule's premises; shipped rules never lead here.",
            status=3,
        ),
        "law.unknown": Entry(
            what="An instance of a law was not decided.",
            why="As for `claim.unknown`.",
            example="blueprint verify block.json --budget 1",
            remedy="Give more steps with --budget.",
            status=3,
        ),
        "law.vacuous": Entry(
            what="A law speaks of a group of tasks, and the snapshot has none of them; or its premises contradict.",
            why="A law about nothing is true and worthless.",
            example="All tasks of the MLP are missing: the sum over them is compared with nothing.",
            remedy="Look at the findings coverage.missing; in a rule of your own, check the group's phases and kinds.",
            status=3,
        ),
    },
)

_COMPARED: Final = Group(
    "what a bundle records, against what this run finds",
    {
        "replay": Entry(
            what="Running the pass again on the stage before gives another snapshot.",
            why="A pass is deterministic; a snapshot that it does not make was edited, or made by other code.",
            example="Any field of the plan is changed by hand.",
            remedy="Mind the other findings first: they say whether the difference is false or only another form.",
        ),
        "replay.off": Entry(
            what="Replay was switched off, which only a test can do.",
            why="Without it nothing is verified.",
            example="verify_without_replay in the test suite.",
            remedy="Use `blueprint verify`.",
            status=3,
        ),
        "report.mismatch": Entry(
            what="A recorded report is not what this run establishes: other counts, obligations or statuses.",
            why="A record that promises more than was proved would mislead its readers.",
            example="The recorded number of exact_work claims is raised by one.",
            remedy="It follows other findings in most cases; else derive again.",
        ),
        "overlay.digest": Entry(
            what="An overlay addresses a snapshot that is not in the bundle.",
            why="Its numbers would be read beside a plan that they are not about.",
            example="A cost table is kept while the plan is derived again.",
            remedy="Make the overlay for this snapshot's digest.",
        ),
        "overlay.entity": Entry(
            what="An overlay has a number for an entity that its snapshot lacks.",
            why="As for `overlay.digest`.",
            example="A time for a task of the stage before.",
            remedy="Address ids of the snapshot that the overlay names.",
        ),
        "overlay.repeated": Entry(
            what="An overlay has two numbers for one entity.",
            why="Nobody could say which of them holds.",
            example="Two times for the optimizer.",
            remedy="Give one.",
        ),
        "nothing.established": Entry(
            what="Not every transition could be examined.",
            why="A bundle is verified only if each of them established something.",
            example="A bundle without stages.",
            remedy="The other findings say what stood in the way.",
            status=3,
        ),
        "nothing.found": Entry(
            what="A folder or a pattern names no bundle.",
            why="A run that looked at nothing must not pass for one that found nothing wrong.",
            example="blueprint verify 'plans/*.jsn'",
            remedy="Of a folder, files that end in .json are verified; in quotes, a pattern is matched by Blueprint.",
            status=3,
        ),
        "expect": Entry(
            what="A binding of the bundle is not what the caller demanded with --expect.",
            why="A right proof of another statement is no proof of yours.",
            example="blueprint verify block.json --expect tensor=4, for a bundle with t = 8",
            remedy="Verify the bundle that you mean, or mend the expectation.",
        ),
        "verification": Entry(
            what="`Report.require()` was called on a report that is not verified.",
            why="It returns a value only for a verified bundle, so that a program cannot forget to look.",
            example="blueprint.verify(b'{}').require()",
            remedy="Read the report's diagnostics.",
        ),
    },
)

_GATE: Final = Group(
    "the commit gate, when deriving",
    {
        "gate": Entry(
            what="A step of the gate refused what a pass made; the message says which step.",
            why="Nothing unverified is ever published.",
            example="A pass changes its input.",
            remedy="It is a fault of the pass, not of your request: report it, unless the pass is yours.",
        ),
        "gate.refuted": Entry(
            what="A claim or a law about the new snapshot is refuted, or its coverage is not exact.",
            why="The derivation made a false plan, or the plan cannot be had: it may not fit --device-memory.",
            example="blueprint derive training ... --device-memory 1000",
            remedy="If the plan does not fit, change strategy or device; anything else is a fault of pass or rules.",
        ),
        "gate.not_established": Entry(
            what="The gate could not decide a claim.",
            why="Undecided is never committed.",
            example="A rule of your own leads to a question that the solver gives up on.",
            remedy="State the law in an easier form, or raise the budget.",
            status=3,
        ),
        "rule.targets": Entry(
            what="The rules of a folder demand other tasks or values than the passes make, in some strategy.",
            why="Every plan in that case would be refused; theorems speak of laws alone and do not see it.",
            example="A rule for an operation of your own has no target for the recompute phase.",
            remedy="Mend the rule or the pass that the message names, or derive only what the rules cover.",
        ),
        "gate.failed": Entry(
            what="Something other than the pass broke down in a step of the gate.",
            why="That says nothing about the plan; nothing was published.",
            example="An observer's or a rule's code leaves the program, or memory runs out.",
            remedy="Mend the code that the message names; if it is Blueprint's own, report it with the request.",
            status=4,
        ),
        "pass.contract": Entry(
            what="A pass promises too little or things that contradict each other, or two passes do not fit together.",
            why="What a pass does not promise, nobody could check.",
            example="A pass from stage to stage without a normal form; a pass that requires an analysis nobody leaves.",
            remedy="Mend the facts of the pass that the message names.",
            status=2,
        ),
        "analysis": Entry(
            what="A pass reads or leaves an analysis that it does not declare, or two values contradict each other.",
            why="Passes hand facts on only by what their contracts name, so that a replay has the same ones.",
            example="A pass asks for liveness/1 and does not list it in `requires`.",
            remedy="Declare the analysis in `requires` or `produces`, with its version.",
            status=4,
        ),
        "gate.pass": Entry(
            what="A pass failed by itself.",
            why="That says nothing about the plan.",
            example="A pass raises KeyError.",
            remedy="Report it with the request.",
            status=4,
        ),
        "gate.stages": Entry(
            what="Two stages were put together that no pass joins.",
            why="There are no rules between them.",
            example="A plan as the target of a model, without the distributed stage.",
            remedy="Go from stage to stage.",
        ),
    },
)

_PROOFS: Final = Group(
    "the law book, when proving",
    {
        "law.theorem": Entry(
            what="A law is not proved for all values, or one of its false variants is not refuted.",
            why="A law that fails somewhere is wrong; a false variant that passes shows that the law says too little.",
            example="A right side lacks the factor 2 of a multiply-add: the message gives values at which it fails.",
            remedy="Put the values into both sides and compare with the derivation in blueprint/workload/.",
        ),
        "law.group": Entry(
            what="The derivation has another number of tasks in a law's group than the law states.",
            why="A sum over too few tasks can be right by accident.",
            example="members=count(2) for the three projections q, k and v.",
            remedy="Correct `members`, or the group's phases, kinds and primitives.",
        ),
        "proofs.missing": Entry(
            what="An obligation is not recorded, or not listed in expected.txt.",
            why="A proof that is not there would go unnoticed.",
            example="A new law, before `blueprint prove` was run.",
            remedy="blueprint prove RULE",
        ),
        "proofs.extra": Entry(
            what="An obligation is recorded that no law states.",
            why="A stale proof looks like a promise.",
            example="A law was removed, and its folder stayed.",
            remedy="Run `blueprint prove`; remove what belongs to no rule.",
        ),
        "proofs.text": Entry(
            what="A recorded text is not the one that was solved.",
            why="Others decide the recorded text again; it must be the same question.",
            example="An .smt2 file is edited.",
            remedy="Record again, and look at the difference.",
        ),
        "proofs.evidence": Entry(
            what="evidence.json cannot be read, or differs from what this run found.",
            why="It names the sources for which the proof holds.",
            example="A rule file changed since it was proved.",
            remedy="blueprint prove RULE",
        ),
        "proofs.resource": Entry(
            what="The solver took a very different number of steps than recorded.",
            why="Verdicts near the budget would not be stable.",
            example="Another version of the solver.",
            remedy="Check the versions, then record again.",
        ),
    },
)

_OURSELVES: Final = Group(
    "Blueprint itself",
    {
        "deciders.disagree": Entry(
            what="Two deciders contradict each other on one obligation.",
            why="One of them is wrong, so nothing that either says counts.",
            example="A solver with a fault in nonlinear arithmetic.",
            remedy="Keep the bundle and report it: this is the most serious fault that there is.",
            status=4,
        ),
        "internal": Entry(
            what="An error of Blueprint's own ended the run.",
            why="Nothing is established.",
            example="Memory runs out.",
            remedy="Run again with --verbose, and report what it prints.",
            status=4,
        ),
        "blueprint": Entry(
            what="An error that has no more special code.",
            why="Nothing is established.",
            example="None is known.",
            remedy="Report it.",
            status=4,
        ),
    },
)

GROUPS: Final = (
    _BYTES,
    _REQUEST,
    _SESSION,
    _STRUCTURE,
    _LINEAGE,
    _DECIDED,
    _COMPARED,
    _GATE,
    _PROOFS,
    _OURSELVES,
)

CODES: Final[dict[str, Entry]] = {code: entry for group in GROUPS for code, entry in group.entries.items()}
"""Every code, apart from those of single claims and laws."""
