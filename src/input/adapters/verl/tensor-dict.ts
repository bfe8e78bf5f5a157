/**
 * TensorDicts (the `batch` of a DataProto) as `torch.save` writes them: the call `_make_td(TensorDict, {"_tensordict":
 * {name: tensor}, …})`, recorded and not made. Seen with tensordict 0.15.3.
 *
 * @module
 */
import { UnsupportedError } from "../../../core/base/index.ts";
import type { TreeMap, TreeValue } from "../../io/index.ts";
import { isMap, isPickled } from "../shared/tree-values.ts";

/** The tensors of a TensorDict, or the dict itself; undefined for anything else. */
export function unwrapTensors(value: TreeValue | undefined): TreeMap | undefined {
  if (isMap(value)) return value;
  if (!isPickled(value) || !value.className.startsWith("tensordict.")) return undefined;
  const holders = [...value.args, value.state].filter(isMap);
  return holders.map((holder) => holder._tensordict).find(isMap);
}

const OTHERS = /(?:^|\.)(?:DataProto|TensorDict)$|^tensordict\./;

/** A class that holds a batch in a way that is not read: how to save it instead. */
export function unreadBatch(root: TreeMap, file: string): UnsupportedError | undefined {
  const object = [root.value, root.batch].find((value) => isPickled(value) && OTHERS.test(value.className));
  if (!isPickled(object) || unwrapTensors(object) !== undefined) return undefined;
  return new UnsupportedError(`the batch is a pickled ${object.className}, whose tensors are not read`, {
    at: { file },
    likely: "it was saved whole, with pickle inside pickle or with its memory consolidated",
    hint: 'save plain dicts: torch.save({"batch": dict(data.batch.items()), "non_tensor_batch": dict(data.non_tensor_batch), "meta_info": data.meta_info}, path)',
  });
}
