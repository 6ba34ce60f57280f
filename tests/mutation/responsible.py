"""Which tests are responsible for which module of the trusted core: those that are quick to tell, and more of them.

All mutants are put to the quick ones, and survivors to the others.

Left out are tests that compare digests or texts of sources, which no change of a source could pass.
"""

from __future__ import annotations

from typing import Final, NamedTuple

_EXACT = "tests/solver/test_exact.py"
_NORMALFORM = "tests/solver/test_normalform.py"
_SMTLIB = "tests/solver/test_smtlib.py"
_CROSSCHECK = "tests/solver/test_crosscheck.py"
_SOLVER = "tests/solver/test_solver.py"
_WORKER = "tests/solver/test_worker.py"
_DISCHARGE = "tests/solver/test_discharge.py"
_CODEC = "tests/test_codec.py"
_OBLIGATION = "tests/test_obligation.py"
_SYMBOLS = "tests/test_symbols.py"
_VERIFIER = "tests/test_verifier.py"
_PLAN = "tests/test_plan.py"
_POOL_ALONE = "tests/solver/test_pool.py"
_CONCLUSIONS = "tests/solver/test_conclusions.py"
_MATCHING = "tests/test_matching.py"
_ASKED = "tests/trust/test_asked.py"
_BOUNDARIES = "tests/test_boundaries.py"
_VERIFICATION = "tests/test_verification.py"
_RULECHECK = "tests/rules/test_rulecheck.py"
_CLAIMS = "tests/test_claims.py"
_LAW = "tests/test_law.py"
_BOUND_TRANSITION = "tests/test_bound_transition.py"
_CONDITIONS = "tests/rules/test_conditions.py"
_TERM = "tests/test_term.py"
_CASE = "tests/test_case.py"
_INSERTION = "tests/test_insertion.py"
_LOADING = "tests/rules/test_loading.py"
_EXTENSION = "tests/rules/test_extension.py"
_EXTENDING = "tests/rules/test_extending.py"
_BINDING = "tests/trust/test_binding.py"
_TRANSITION = "tests/test_transition.py"
_EXAMINATION = "tests/bundles/test_examination.py"
_BUNDLE = "tests/test_bundle.py"
_FACTS = "tests/test_facts.py"
_BINDINGS = "tests/test_bindings.py"
_EXAMINE = "tests/test_examine.py"
_RULEBOOK = "tests/rules/test_rulebook.py"
_IR = "tests/ir"
_REFUSALS = "tests/gate/test_refusals.py"
_CONTRACTS = "tests/gate/test_contracts.py"
_TRANSACTION = "tests/gate/test_transaction.py"
_ANALYSES = "tests/gate/test_analyses.py"
_STEPS = "tests/gate/test_steps.py"
_GATE_BINDING = "tests/gate/test_binding.py"
_DIMS = "tests/workload/test_dims.py"
_ARRANGED = "tests/workload/test_arranged.py"
_ARRANGEMENTS = "tests/test_arrangements.py"
_CAPACITIES = "tests/test_capacities.py"
_BOUND_CLAIMS = "tests/test_bound_claims.py"
_EXPECTED = "tests/test_expected.py"


def _of(file: str, *names: str) -> tuple[str, ...]:
    return tuple(f"tests/{file}.py::test_{name}" for name in names)


_TRUST = _of(
    "trust/test_trust",
    "what_both_texts_use_is_pinned",
    "the_points_of_the_branches_are_pinned",
    "anything_less_is_not",
    "only_proved_establishes",
    "evidence_counts_for_its_own_transition_alone",
    "a_transition_with_all_of_it_is_established",
    "a_rule_leaves_no_claim_of_its_targets_out",
    "a_law_over_claims_states_its_member_count",
    "no_hypothesis_and_no_expected_term_comes_from_the_target",
    "every_claim_sees_the_distortion",
    "every_claim_and_law_of_the_rulebook_is_executed",
    "a_law_of_a_planning_rule_is_asked",
    "a_claim_of_a_boundary_rule_is_asked_or_refused",
)
_FORMS = _of(
    "trust/test_trust",
    "a_law_without_instances_is_proved_for_all_values",
    "a_form_is_not_applicable_by_the_bindings_alone",
)
_VERIFIED = _of(
    "trust/test_trust",
    "an_undecided_claim_refutes_nothing",
    "deciders_that_disagree_stop_derive_and_verify",
    "no_claim_of_a_bundle_has_one_decider_alone",
    "the_most_specific_finding_comes_first",
    "a_structural_fault_does_not_hide_a_false_claim_of_an_earlier_stage",
    "equal_questions_are_one_obligation_and_name_all_who_ask",
    "a_counterexample_is_one_in_the_models_own_dimensions",
    "one_answer_short_of_proved_and_a_bundle_is_not_verified",
)
_POOL = _of(
    "trust/test_trust",
    "there_is_a_worker_for_each_core_and_it_is_started_once",
    "a_worker_does_not_import_from_the_working_folder",
    "z3_gets_exactly_the_text_with_a_fixed_seed_and_a_budget",
    "what_the_first_solver_leaves_open_a_second_gets_with_the_whole_budget",
)
_IMPORTED = _of(
    "bundles/test_import",
    "the_bundle_that_is_broken_here_is_good",
    "bytes_that_are_no_canonical_bundle_are_malformed",
    "a_step_refutes_what_it_checks",
    "an_overlay_changes_nothing_but_the_bytes",
    "a_bundle_of_nothing_is_not_established",
    "a_derivation_cut_after_a_stage_is_not_established",
    "a_false_bundle_is_refuted_however_little_of_it_is_shown",
    "a_false_bundle_with_an_honest_record_is_refuted",
    "a_foreign_revision_hides_no_falsehood",
    "a_foreign_rulebook_revision_is_not_established",
    "without_replay_everything_is_decided_and_nothing_is_verified",
    "a_record_that_says_refuted_does_not_refute_a_good_bundle_silently",
)
_GOOD = _of(
    "bundles/test_false_bundles",
    "the_good_bundle_passes_through_the_same_hands",
    "moved_work_leaves_every_sum_right",
)
_FALSE = _of(
    "bundles/test_false_bundles",
    "the_named_claims_refute_a_false_bundle",
    "a_finding_about_the_model_names_the_entity",
    "every_memory_fact_has_a_law",
    "a_buffer_with_the_lineage_and_name_of_a_task_is_unexpected",
    "an_operation_with_the_name_of_a_value_is_not_the_one_demanded",
)
_FALSE_TRAINING = _of(
    "bundles/test_false_training",
    "the_good_bundles_pass_through_the_same_hands",
    "the_named_law_refutes_a_false_bundle",
    "a_law_names_what_breaks_it",
    "capacity_is_met_to_the_byte",
    "a_device_is_neither_added_nor_removed_in_silence",
)
_FALSE_INFERENCE = _of(
    "bundles/test_false_inference",
    "the_good_bundles_pass_through_the_same_hands",
    "branches_renamed_are_out_of_order",
    "branches_swapped_are_named_on_both",
    "a_second_model_is_refuted",
    "a_branch_missing_is_not_established",
    "a_plan_missing_from_a_branch_is_not_established",
    "a_false_branch_is_refuted_whether_or_not_the_other_is_shown",
    "a_device_one_byte_short_refutes_the_step_that_does_not_fit",
    "a_task_of_training_has_no_cache",
    "every_total_is_closed",
    "the_named_claims_and_laws_refute_a_fault",
)
_FALSE_BINDING = _of(
    "bundles/test_false_binding",
    "the_good_bundle_passes_through_the_same_hands",
    "a_false_binding_is_stopped_by_name",
    "a_false_program_is_stopped_by_name",
    "more_devices_than_ranks_change_nothing",
    "only_the_guilty_buffer_of_many_is_refuted",
    "a_wrong_field_is_stopped_by_name",
)
_LAW_VARIANTS = _of(
    "rules/test_rulebook",
    "every_file_is_a_rule_of_the_book",
    "the_laws_of_whole_boundaries_are_all_there",
    "a_law_has_a_wrong_variant",
    "a_primitive_has_a_wrong_variant_in_every_phase",
    "the_traffic_of_a_primitive_has_a_wrong_variant",
)

_LAWS = _of(
    "rules/test_rulebook",
    "every_file_is_a_rule_of_the_book",
    "every_primitive_and_both_boundaries_have_rules",
    "a_rule_of_one_workload_is_no_rule_of_another",
    "the_laws_of_whole_boundaries_are_all_there",
    "the_memory_of_every_plan_is_asked_for",
    "the_published_laws_are_all_there",
    "the_traffic_of_a_primitive_has_a_wrong_variant",
)
_HONEST_BINDING = _of("gate/test_binding", "the_honest_passes_are_committed", "a_false_binding_is_refused")
_BROKEN = _of("bundles/test_import", "the_bundle_that_is_broken_here_is_good")
_IMPORT_QUICK = (*_BROKEN, *_of("bundles/test_import", "a_step_refutes_what_it_checks"))
_MALFORMED = (*_BROKEN, *_of("bundles/test_import", "bytes_that_are_no_canonical_bundle_are_malformed"))
_EXTENDED = _of(
    "rules/test_extending",
    "a_folder_that_adds_nothing_has_the_shipped_rules",
    "a_shipped_rule_is_replaced_where_it_stands",
    "a_folder_that_does_not_fit_is_refused",
    "an_extension_that_does_not_fit_is_refused",
    "passes_stand_in_their_places",
    "the_plain_extension_is_empty",
    "a_folder_that_is_nowhere_is_not_shipped",
    "the_digest_covers_every_byte",
    "an_operation_needs_a_rule_for_itself_and_one_for_what_it_makes",
    "a_file_without_a_rule_and_no_folder_are_no_rules",
    "a_rulebook_is_at_most_2000_files_of_a_mebibyte_and_16_together",
)
_HONEST = _of(
    "trust/test_asked",
    "an_honest_chain_is_established_at_every_boundary",
    "every_memory_fact_of_a_plan_and_the_workspace_of_every_alternative_has_a_law_that_applies",
)
_CHAIN = (*_FALSE, _REFUSALS, *_IMPORTED)


class Tests(NamedTuple):
    """Selections as pytest takes them, quick ones and more."""

    quick: tuple[str, ...]
    more: tuple[str, ...] = ()


RESPONSIBLE: Final[dict[str, Tests]] = {
    "codec": Tests((_CODEC,), _IMPORTED),
    "bundle": Tests((_BUNDLE,), (*_BROKEN, *_IMPORTED)),
    "rulebook": Tests((_LOADING, *_EXTENDED, *_LAWS), (_RULEBOOK,)),
    "rulecheck": Tests((_RULECHECK, *_LAWS, *_LAW_VARIANTS), (_RULEBOOK,)),
    "symbols": Tests((_SYMBOLS, _FACTS, *_LAWS), (*_TRUST, *_LAW_VARIANTS, *_FORMS)),
    "rule": Tests((_CONDITIONS, *_LAWS), (*_HONEST, *_TRUST, _RULEBOOK)),
    "law": Tests((_LAW, *_LAWS, *_HONEST), (*_TRUST, _RULEBOOK, *_FORMS)),
    "case": Tests((_CASE, *_LAWS), (*_TRUST, *_LAW_VARIANTS, *_FORMS, _DIMS)),
    "obligation": Tests((_OBLIGATION, *_LAWS), (*_TRUST, *_LAW_VARIANTS, *_FORMS)),
    "facts": Tests((_FACTS, *_TRUST), (*_GOOD, *_FALSE)),
    "term": Tests((_TERM, _EXACT, _SMTLIB), (_NORMALFORM,)),
    "verdict": Tests((_EXACT, _SMTLIB), (_NORMALFORM, _DISCHARGE)),
    "smtlib": Tests((_SMTLIB, _CROSSCHECK, _CONCLUSIONS)),
    "solver": Tests((_SOLVER, *_POOL), (_DISCHARGE,)),
    "worker": Tests((_WORKER, _SOLVER, *_POOL), (_DISCHARGE,)),
    "discharge": Tests((_CONCLUSIONS, _POOL_ALONE), (_DISCHARGE, *_POOL)),
    "exact": Tests((_EXACT,), (_CONCLUSIONS,)),
    "normalform": Tests((_NORMALFORM,)),
    "plan": Tests((_PLAN,), (*_TRUST, *_GOOD, *_CHAIN)),
    "matching": Tests((_MATCHING, _BOUND_TRANSITION), (*_TRUST, *_GOOD, *_CHAIN)),
    "instances": Tests((_TRANSITION, *_HONEST, *_TRUST), (_ASKED, *_FALSE_TRAINING, *_GOOD, *_FORMS, *_CHAIN)),
    "capacities": Tests(
        (_CAPACITIES, _TRANSITION, *_HONEST), (_ASKED, *_HONEST_BINDING, _GATE_BINDING, *_FALSE_TRAINING)
    ),
    "transition": Tests((_TRANSITION, *_HONEST, *_TRUST), (_ASKED, *_GOOD, *_CHAIN, *_FALSE_TRAINING)),
    "chunks": Tests((_BINDING,), (_ASKED, *_TRUST, *_GOOD, *_HONEST_BINDING)),
    "arrangements": Tests((_ARRANGEMENTS, *_HONEST, _ARRANGED), (_ASKED, _BINDING, _GATE_BINDING, *_FALSE_BINDING)),
    "concrete_transition": Tests((_BOUND_TRANSITION, *_HONEST), (_BINDING, _ASKED, _GATE_BINDING, *_FALSE_BINDING)),
    "machine_transition": Tests((_BOUND_TRANSITION, *_HONEST), (_BINDING, _ASKED, _GATE_BINDING, *_FALSE_BINDING)),
    "verifier": Tests((_VERIFIER, *_TRUST), (*_GOOD, *_CHAIN, *_VERIFIED)),
    "contract": Tests((_CONTRACTS,), (_REFUSALS,)),
    "boundaries": Tests((_BOUNDARIES, *_HONEST), (_ASKED, *_TRUST, *_GOOD, *_HONEST_BINDING, *_CHAIN)),
    "gate": Tests((_STEPS, _ANALYSES), (_REFUSALS, _TRANSACTION)),
    "extension": Tests((_EXTENSION, *_EXTENDED), (_EXTENDING,)),
    "insertion": Tests((_INSERTION,), (*_IMPORT_QUICK, _EXTENDING)),
    "examine": Tests((_EXAMINE, _EXAMINATION, *_IMPORT_QUICK), (*_IMPORTED, *_FALSE_INFERENCE[:9], *_VERIFIED)),
    "bindings": Tests((_BINDINGS,), (*_IMPORT_QUICK, *_TRUST)),
    "verification": Tests((_VERIFICATION, *_MALFORMED), (*_IMPORTED, *_VERIFIED)),
    "ir": Tests((_IR, _BUNDLE, *_HONEST), (_ASKED, *_TRUST, *_IMPORTED)),
    "claims": Tests((_CLAIMS, _BOUND_CLAIMS, _TRANSITION, *_HONEST), (_ASKED, *_TRUST, *_FALSE)),
    "expected": Tests((_EXPECTED, _TRANSITION, *_HONEST), (_ASKED, *_TRUST, *_GOOD, *_FALSE)),
    "expected_bound": Tests((_BOUND_TRANSITION, *_HONEST), (_ASKED, _BINDING, _GATE_BINDING)),
    "expected_concrete": Tests((_BOUND_TRANSITION, *_HONEST), (_ASKED, _BINDING, _GATE_BINDING)),
}
