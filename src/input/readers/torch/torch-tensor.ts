import { FormatError, type Place, UnsupportedError } from "../../../core/base/index.ts";
import { LIKELY_DAMAGED } from "../../io/advice.ts";
import { ITEM_BYTES } from "../shared/dtypes.ts";
import { sizes } from "../shared/pickle-numpy.ts";
import type { Builder } from "../shared/pickle-stack.ts";
import {
  describe,
  isPy,
  type PyDict,
  type PyStorage,
  type PyTensor,
  type PyValue,
  sequenceItems,
} from "../shared/pickle-values.ts";
import { countElements, formatShape } from "../shared/shape.ts";
import { spanLength } from "../shared/strides.ts";
import { tensorOver } from "../shared/tensor.ts";
import { countNamed, type TorchBudget } from "./storage.ts";
import { dtypeNamed } from "./torch-dtypes.ts";

/** Globals that torch pickles call; each makes a tensor over a storage, or plain data. */
export function torchBuilders(budget: TorchBudget): Map<string, Builder> {
  const builders = new Map<string, Builder>([
    ["torch._utils._rebuild_tensor", (args, at) => rebuild(args, undefined, undefined, budget, at)],
    ["torch._utils._rebuild_tensor_v2", (args, at) => rebuild(args, undefined, args[6], budget, at)],
    ["torch._utils._rebuild_tensor_v3", (args, at) => rebuild(args, args[6], args[7], budget, at)],
    ["torch._utils._rebuild_parameter", (args, at) => tensorArgument(args[0], at)],
    ["torch._utils._rebuild_parameter_with_state", (args, at) => tensorArgument(args[0], at)],
    ["torch.nested._internal.nested_tensor._rebuild_njt", (args, at) => rebuildJagged(args[0], budget, at)],
    ["torch.Size", (args, at) => ({ kind: "tuple", items: sizes(args[0], at) })],
    ["torch.device", (args) => args.filter((arg) => arg !== null).join(":")],
  ]);
  // Tensors with attributes, or of a subclass: (function, class, its arguments, attributes).
  builders.set("torch._tensor._rebuild_from_type_v2", ([callee, type, args], at) => {
    const builder = isPy(callee, "global") ? builders.get(callee.name) : undefined;
    const items = sequenceItems(args);
    if (builder === undefined || items === undefined || !isPy(type, "global") || type.unknown) {
      throw new UnsupportedError(`tensors of ${describe(type)} are not read`, {
        at,
        hint: "save it as a plain tensor: tensor.as_subclass(torch.Tensor)",
      });
    }
    return builder(items, at);
  });
  return builders;
}

/** Arguments: storage, storage offset, size, stride, requires_grad, hooks; later versions add more. */
function rebuild(
  [storage, offset, size, stride]: readonly PyValue[],
  dtypeArgument: PyValue | undefined,
  metadata: PyValue | undefined,
  budget: TorchBudget,
  at: Place,
): PyTensor {
  if (!isPy(storage, "storage") || typeof offset !== "number") {
    throw new FormatError(`torch tensor is built on ${describe(storage)}`, { at, likely: LIKELY_DAMAGED });
  }
  if (isPy(metadata, "dict") && metadata.keys.some((key) => key === "conj" || key === "neg")) {
    throw new UnsupportedError("tensors with a pending conjugation or negation are not read", {
      at,
      hint: "save it as tensor.resolve_conj().resolve_neg()",
    });
  }
  const name = isPy(dtypeArgument, "global") ? dtypeArgument.name : storage.dtype;
  return tensorIn(storage, { name, offset, shape: sizes(size, at), strides: sizes(stride, at) }, budget, at);
}

export interface TensorPart {
  /** torch's name of the element type. */
  readonly name: string | undefined;
  /** In elements. */
  readonly offset: number;
  /** Bytes of the storage before element 0 at offset 0. */
  readonly skip?: number;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
}

/**
 * A tensor over a part of a storage.
 *
 * @throws FormatError if the storage does not hold it
 * @throws UnsupportedError for unsupported element types
 */
export function tensorIn(storage: PyStorage, part: TensorPart, budget: TorchBudget, at: Place): PyTensor {
  const dtype = dtypeNamed(part.name);
  if (dtype === undefined) {
    throw new UnsupportedError(
      `torch tensors of ${part.name?.replace(/^torch\./, "") ?? "no type"} are not read`,
      {
        at,
        hint: "save it as tensor.float()",
      },
    );
  }
  const { shape, strides, offset, skip = 0 } = part;
  const { bytes, littleEndian } = storage;
  const held = Math.floor((bytes.byteLength - skip) / ITEM_BYTES[dtype]);
  const count = checkGeometry(shape, strides, offset, held, at);
  countNamed(bytes, count, ITEM_BYTES[dtype], budget, shape, at);
  const tensor = tensorOver(bytes.open(), {
    dtype,
    littleEndian,
    shape,
    strides,
    offset: skip + offset * ITEM_BYTES[dtype],
    at: bytes.at,
  });
  return { kind: "tensor", tensor, storage };
}

function checkGeometry(
  shape: readonly number[],
  strides: readonly number[],
  offset: number,
  held: number,
  at: Place,
): number {
  const count = countElements("torch tensor", shape, at);
  const whole = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
  if (strides.length !== shape.length || !strides.every(whole) || !whole(offset)) {
    throw new FormatError(
      `torch tensor of shape ${formatShape(shape)} has strides ${formatShape(strides)} and offset ${offset}`,
      { at, likely: LIKELY_DAMAGED },
    );
  }
  const end = count === 0 ? 0 : offset + spanLength(shape, strides);
  if (end > held) {
    throw new FormatError(
      `torch tensor of shape ${formatShape(shape)} exceeds its storage: it needs ${end} elements, but it has ${held}`,
      { at, likely: LIKELY_DAMAGED },
    );
  }
  return count;
}

function tensorArgument(value: PyValue | undefined, at: Place): PyTensor {
  if (isPy(value, "tensor")) return value;
  throw new FormatError(`torch parameter is built on ${describe(value)}`, { at, likely: LIKELY_DAMAGED });
}

/** The value under a text key of a dict. */
export function entry(dict: PyDict, name: string): PyValue | undefined {
  const at = dict.keys.indexOf(name);
  return at < 0 ? undefined : dict.values[at];
}

/** A nested tensor of layout jagged: concatenated values, and the start of each row. */
function rebuildJagged(state: PyValue | undefined, budget: TorchBudget, at: Place): PyValue {
  const part = (name: string): PyValue | undefined => (isPy(state, "dict") ? entry(state, name) : undefined);
  return jagged(part("values"), part("offsets"), part("lengths"), part("_ragged_idx") ?? 1, budget, at);
}

/**
 * @param lengths lengths of rows that are shorter than the offsets say; otherwise None
 * @throws UnsupportedError when a dimension other than a row's first is ragged
 */
export function jagged(
  values: PyValue | undefined,
  offsets: PyValue | undefined,
  lengths: PyValue | undefined,
  raggedIndex: PyValue,
  budget: TorchBudget,
  at: Place,
): PyValue {
  if (!isPy(values, "tensor") || !isPy(offsets, "tensor")) {
    throw new FormatError(
      `nested tensor is built on ${describe(values)} with the offsets ${describe(offsets)}`,
      {
        at,
        likely: LIKELY_DAMAGED,
      },
    );
  }
  if (raggedIndex !== 1) {
    throw new UnsupportedError(
      `nested tensors that are ragged in dimension ${describe(raggedIndex)} are not read`,
      {
        at,
        hint: "save it with its rows as they were made, before transpose()",
      },
    );
  }
  budget.expandable = true;
  return { kind: "jagged", values, offsets, lengths: isPy(lengths, "tensor") ? lengths : undefined };
}
