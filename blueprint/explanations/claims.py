"""What each claim asserts of a relation. The equations themselves stand in blueprint/claims/."""

from __future__ import annotations

from typing import Final

from blueprint.explanations.entry import Entry

CLAIMS: Final[dict[str, Entry]] = {
    "operation_identity": Entry(
        what="A task is the one that its rule demands: local or collective, of the same phase and the same primitive.",
        why="Every number of a task is checked with its primitive's formula, so a task must not pass for another.",
        example="A backward GEMM of kind compute is relabelled from weight_gradient to activation_gradient.",
        remedy="Compare kind, phase and primitive of the named task with the rule; `blueprint explain RULE` shows it.",
    ),
    "operand_sizes": Entry(
        what="The operand sizes m, n, k (or elements, width, ranks) are those of the source's shapes on one rank.",
        why="Work is a function of these sizes; one that is not divided by t hides in a plausible number.",
        example="n of the output projection is h*d instead of h*d/t.",
        remedy="The finding gives the found and the expected size; look where the pass divides that axis.",
    ),
    "exact_work": Entry(
        what="A task's operations, bytes read and written and message bytes are what its primitive's formula gives.",
        why="These four numbers are what every later stage copies, sums and plans with.",
        example="A matrix product counts m*n*k operations: the factor 2 of a multiply-add is lost.",
        remedy="The finding names the component, both values and the formula with the model's own dimensions.",
    ),
    "operand_traffic": Entry(
        what="A task's bytes read and written are those of its tensors, each as often as its primitive counts it.",
        why="The formula of a primitive speaks of operand sizes; this ties it to the tensors that really stand there.",
        example="A projection reads a weight of another shape than its formula counts.",
        remedy="Compare the task's inputs and outputs with its operand sizes: one of the two is wrong.",
    ),
    "data_flow": Entry(
        what="A task reads and writes exactly the values that its rule names, in order; a buffer names its tasks.",
        why="Right sizes on wrong edges still give a wrong plan: order, lifetimes and recompute follow the edges.",
        example="The backward pass reads the discarded copy of an activation instead of the recomputed one.",
        remedy="The finding shows the position that differs; follow that value back to its producer.",
    ),
    "logical_ranks": Entry(
        what="A task or a value lies on the ranks 0 to t - 1 of one tensor-parallel group, each once.",
        why="Counts are for one rank of the group; another group size would make every sum over ranks wrong.",
        example="A task lists 7 ranks in a group of 8.",
        remedy="Look at how the pass fills `ranks`; the group's size is the strategy's tensor degree.",
    ),
    "collective_volume": Entry(
        what="A collective has the demanded kind and reduction, spans the ranks of its group, and moves its full side.",
        why="Communication is where a ring factor or a shard most easily slips in or gets lost.",
        example="A reduce-scatter states the bytes of one shard, B*S*H*e/t, as its message.",
        remedy="A message is the full tensor's bytes: BSHe of activations, gN of gradients, without ring factors.",
    ),
    "tensor_type": Entry(
        what="A value has the element type, the axes and the whole shape of the model value that it stands for.",
        why="Local sizes and bytes are worked out from these.",
        example="A mask of one byte an element is declared bfloat16.",
        remedy="Compare dtype, axes and shape with the model's value of the same name.",
    ),
    "role": Entry(
        what="A value is what its rule says: parameter, gradient, activation, mask, and so on, of that source value.",
        why="The role decides how long a buffer lives and in which memory fact it is counted.",
        example="A parameter's gradient is declared an activation, so it leaves the model state.",
        remedy="Set the role that the rule's tensor target states.",
    ),
    "shard_coverage": Entry(
        what="A value is split over the axes that its layout says, its local sizes are the exact shares, and values of"
        " which ranks hold addends say so.",
        why="Shards that overlap or leave a gap make the sum over ranks differ from the unsharded operation.",
        example="Under sequence parallelism the residual stream keeps its whole sequence on every rank.",
        remedy="Compare split axes and local shape with the rule's layout; shares are exact, nothing is rounded.",
    ),
    "resources": Entry(
        what="compute, memory and network of a portable task are its operations, bytes read plus written, and message.",
        why="A target is chosen by these projections; they must lose nothing of the work vector.",
        example="memory counts bytes read alone.",
        remedy="Recompute the three from the task's own work.",
    ),
    "dependency_topology": Entry(
        what="A portable task waits for exactly the tasks that produce what it reads.",
        why="A missing edge lets a target run things too early, an extra one slows it down.",
        example="The down projection does not wait for the activation that it reads.",
        remedy="Dependencies are the producers of the inputs, each once, in the order of the inputs.",
    ),
    "implementation": Entry(
        what="A portable task asks for the capability of its kind and primitive, and lists what may do it.",
        why="A plan must not promise a fused kernel that no law covers.",
        example="The MLP's first task lists a tiled alternative.",
        remedy="State the capability `<kind>.<primitive>` and its reference; alternatives are the plan's.",
    ),
    "buffer_size": Entry(
        what="A buffer has exactly the bytes of its value on one rank: local elements times the width of one.",
        why="Every statement about memory is a sum of these sizes.",
        example="A buffer is sized for float32 though its value is bfloat16.",
        remedy="Multiply the local shape by the width; padding belongs to a target's layout.",
    ),
    "storage": Entry(
        what="A buffer lives as long as its value is needed: over the step, from forward to backward, or within one.",
        why="What is stored from forward to backward is the activation memory of the strategy.",
        example="Under selective recompute the softmax result is marked as saved for the backward pass.",
        remedy="An activation waits only if a later phase reads that copy; see `blueprint explain activation-memory`.",
    ),
    "interface": Entry(
        what="A snapshot's inputs and outputs are its block's or stage's alone; mesh and facts are the request's.",
        why="Work that enters or leaves unseen is in no total.",
        example="The gradient of the block's output is not among the inputs.",
        remedy="Compare the lists with the block: input, parameters, output gradient; output, input gradient, updates.",
    ),
    "memory": Entry(
        what="Each memory fact of a plan is the sum over the values that it speaks of, or the rank's share of them.",
        why="The laws say what the facts should be; this ties them to the values that the plan really holds.",
        example="The optimizer's bytes are not divided by the data-parallel degree at ZeRO stage 1.",
        remedy="The finding names the fact and both values; shares are the largest of D, rounded up.",
    ),
    "effects": Entry(
        what="A task reads or appends exactly the caches that its rule says, by so many bytes; other tasks touch none.",
        why="A cache outlives the step, so what a step does to it is no other task's data flow.",
        example="The scores task says that it appends the key cache, or reads the rows of the step's own tokens alone.",
        remedy="Scores and context read all rows of a cache; key and value projections append the step's own rows.",
    ),
    "alternatives": Entry(
        what="A plan offers exactly the implementations of attention that its rules know, each by its capability.",
        why="A binding chooses among them, and a workspace that no law knows could be any.",
        example="A plan offers tiled attention to targets that can only multiply.",
        remedy="Offer those that `blueprint explain workspace` and `blueprint explain tiled-workspace` name, in order.",
    ),
    "chosen_workspace": Entry(
        what="A bound plan's workspace is that of the implementation which its target runs, and at most the plan's.",
        why="A binding may need less room than the plan allows for, and never more.",
        example="Scores are kept out of the workspace of an attention that writes them.",
        remedy="Take the workspace of the chosen alternative from the portable plan.",
    ),
    "task_category": Entry(
        what="A command is of the kind of its task, an instruction of its command's; a queue has one category.",
        why="The category decides which queue issues it, and what a device does with it.",
        example="A collective is issued as a launch.",
        remedy="A compute task is a launch, a collective one a collective; opcodes have the names of command kinds.",
    ),
    "buffer_uses": Entry(
        what="A command uses the places of its task's buffers: what it reads, then what it writes, each with its mode.",
        why="Access modes are what a target orders accesses by; a read that passes for a write loses data.",
        example="The result of a launch is marked as read.",
        remedy="List the task's inputs as read, its outputs as write, and what is both as read_write.",
    ),
    "placement": Entry(
        what="A command runs on the devices of its task's ranks, and a region lies on all devices of the group.",
        why="A rank whose device is left out does not do its share.",
        example="A collective of eight ranks runs on seven devices.",
        remedy="The device of rank r has the ordinal r.",
    ),
    "buffer_binding": Entry(
        what="A buffer lies in the plan's region, at the least multiple of its alignment behind the buffer before it.",
        why="The place is what instructions are given; one further back is memory lost, one before it overlaps.",
        example="Two buffers of one size change their offsets.",
        remedy="The finding gives both offsets; follow the recurrence in `blueprint explain aligned-buffers`.",
    ),
    "alignment": Entry(
        what="A bound buffer's alignment is the greater of 16 bytes and what the buffer asks for.",
        why="Every offset is a multiple of it.",
        example="A buffer of 2-byte elements is bound with alignment 2.",
        remedy="Use max(16, r), where r is the alignment of the portable buffer.",
    ),
    "region_capacity": Entry(
        what="A region takes up what its buffers need, and has the memory that the deployment names for one device.",
        why="A capacity that nobody named lets a plan fit by mistake.",
        example="The region's capacity is greater than --device-memory.",
        remedy="Without --device-memory the capacity is the extent: the end of the last buffer.",
    ),
    "issue_order": Entry(
        what="A command is issued at its place: behind the earlier commands of its queue, or in the cycle of its index;"
        " a section keeps the order of its queue.",
        why="An order that is not the plan's may issue a command before what it needs.",
        example="Two neighbours in the compute queue change places.",
        remedy="Keep the topological order of the tasks in every queue, and cycle i, slot 0 for the task of index i.",
    ),
    "waits": Entry(
        what="A command waits for exactly those that it depends on and that another queue issues.",
        why="Queues run side by side: without the wait, a command reads what is not there yet.",
        example="The all-reduce does not wait for the projection whose result it sums.",
        remedy="One wait for each dependency between two queues, in the order of the commands.",
    ),
    "routes": Entry(
        what="A slot target has a route for every transfer of the plan, and for nothing else.",
        why="A transfer without a route goes nowhere.",
        example="A launch has a route between two devices, or a transfer has none.",
        remedy="Give each transfer one route from the group's first device; its other ranks run the same transfer.",
    ),
    "operands": Entry(
        what="An instruction's memory operands are the bound places of what its command uses: offset, size and mode.",
        why="These numbers are all that a device knows of a buffer.",
        example="An offset is taken from the buffer before.",
        remedy="Compare the operand with the place of the buffer in the concrete plan.",
    ),
    "entry": Entry(
        what="The entry point lists every section once, in the order of the queues.",
        why="A section that is not listed is never begun.",
        example="The two sections change places.",
        remedy="List the sections as they stand in the program.",
    ),
}
"""Every claim by its kind."""
