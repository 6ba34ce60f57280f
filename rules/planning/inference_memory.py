"""What one rank holds for one block in inference fits the device: weights, caches and workspace together."""

from blueprint.case import Workload
from blueprint.law import Requirement
from blueprint.rule import DISTRIBUTED_TO_PORTABLE, BoundaryRule
from blueprint.symbols import C_dev, C_kv, C_w, C_ws

FITS = Requirement(
    id="inference-capacity",
    statement="weights, caches and workspace fit the device",
    source="definition",
    left=C_w + C_kv + C_ws,
    right=C_dev,
)

RULE = BoundaryRule(
    id="planning.inference_memory",
    boundaries=(DISTRIBUTED_TO_PORTABLE,),
    claims=(),
    laws=(FITS,),
    workload=Workload.INFERENCE,
)
