/**
 * DataProto, the batch of verl and of ROLL, in pickled form: one object whose state is the columns of tensors, the
 * other columns, and facts about the whole batch. `verl/protocol.py` (verl-project/verl 1dda039b) pickles (batch,
 * non_tensor_batch, meta_info), `roll/distributed/scheduler/protocol.py` (alibaba/ROLL 8eb27cc2) (batch,
 * non_tensor_batch, remote_batch, meta_info).
 *
 * @module
 */
import type { TreeMap, TreeValue } from "../../io/columns.ts";
import { isList, isMap, isPickled } from "./tree-values.ts";

export interface DataProtoColumns {
  /** Tensors, other columns and facts about the batch by name; empty when there are none. */
  readonly columns: TreeMap;
  /** The class that was pickled, `module.name`; undefined for plain dicts. */
  readonly className: string | undefined;
}

const CLASS = /(?:^|\.)DataProto(?:Item)?$/;

/** The tensors of a batch: a dict, or (sizes, device, dict) where verl wrote it with NumPy. */
function findTensors(batch: TreeValue | undefined): TreeMap | undefined {
  if (isMap(batch)) return batch;
  const last = isList(batch) && batch.length === 3 ? batch[2] : undefined;
  return isMap(last) ? last : undefined;
}

/** The columns of a DataProto, of a dict or a list of its three parts, of a TensorDict in a queue's dump, or of a flat dict. */
export function findDataProto(root: TreeMap): DataProtoColumns {
  const object = root.value;
  if (isPickled(object) && CLASS.test(object.className)) {
    const parts = isList(object.state)
      ? object.state
      : isMap(object.state)
        ? Object.values(object.state)
        : [];
    return { columns: merge(parts[0], parts.slice(1)), className: object.className };
  }
  // What __getstate__ returns, saved by itself.
  if (isList(object) && findTensors(object[0]) !== undefined)
    return { columns: merge(object[0], object.slice(1)), className: undefined };
  // TransferQueue's dump (verl/utils/skip/rollout_skip.py, line 322): one key per trajectory.
  if (isMap(root.tensordict)) {
    const { tensordict, keys, global_steps } = root;
    return {
      columns: merge(tensordict, [named("keys", keys), named("global_steps", global_steps)]),
      className: undefined,
    };
  }
  const tensors = findTensors(root.batch);
  if (tensors === undefined) return { columns: root, className: undefined };
  return { columns: merge(tensors, [root.non_tensor_batch, root.meta_info]), className: undefined };
}

function named(name: string, value: TreeValue | undefined): TreeMap | undefined {
  return value === undefined ? undefined : { [name]: value };
}

/** When two parts share a name the first counts: a column says more than a fact about the batch. */
function merge(batch: TreeValue | undefined, others: readonly (TreeValue | undefined)[]): TreeMap {
  const columns: Record<string, TreeValue> = Object.create(null);
  for (const part of [findTensors(batch), ...others]) {
    if (!isMap(part)) continue;
    for (const [name, value] of Object.entries(part)) if (!(name in columns)) columns[name] = value;
  }
  return columns;
}

/** Unknown classes in a batch, whose tensors cannot be reached. */
export function findOpaqueBatch(root: TreeMap): string | undefined {
  const parts = [
    root.value,
    root.batch,
    isPickled(root.value) && isList(root.value.state) ? root.value.state[0] : undefined,
  ];
  const opaque = parts.find((part) => isPickled(part) && /tensordict|TensorDict/.test(part.className));
  return isPickled(opaque) ? opaque.className : undefined;
}
