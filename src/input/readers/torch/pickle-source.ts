/**
 * The globals that torch's pickles may name: in an archive, a legacy file, a plain pickle, or nested in each other.
 *
 * @module
 */
import { FormatError } from "../../../core/base/index.ts";
import { LIKELY_DAMAGED } from "../../io/advice.ts";
import type { PickleOptions, PickleSource } from "../shared/pickle.ts";
import type { Builder } from "../shared/pickle-stack.ts";
import { describe, isPy } from "../shared/pickle-values.ts";
import { checkNesting } from "./expand.ts";
import { isLegacy, readLegacy } from "./legacy.ts";
import type { TorchBudget } from "./storage.ts";
import { tensorDictBuilders, unwrapObject } from "./tensor-dict.ts";
import { TORCH_NAMES } from "./torch-dtypes.ts";
import { torchBuilders } from "./torch-tensor.ts";

/** For pickles without storages outside of them. */
export function pickleSource(file: string, budget: TorchBudget, options: PickleOptions): PickleSource {
  const builders = new Map([...torchBuilders(budget), ...tensorDictBuilders(budget)]);
  builders.set("torch.storage._load_from_bytes", loadFromBytes(file, budget, options));
  return { file, builders, names: TORCH_NAMES, unwrap: unwrapObject, budget };
}

/** A storage in a plain pickle: a legacy file of its own, as bytes. */
function loadFromBytes(file: string, budget: TorchBudget, options: PickleOptions): Builder {
  return ([bytes], at) => {
    if (!(bytes instanceof Uint8Array) || !isLegacy(bytes)) {
      throw new FormatError(`torch storage is made from ${describe(bytes)}, not from a file of torch.save`, {
        at,
        likely: LIKELY_DAMAGED,
      });
    }
    checkNesting(++budget.depth, at);
    const value = readLegacy(bytes, pickleSource(file, budget, options), options);
    budget.depth--;
    if (!isPy(value, "storage")) {
      throw new FormatError(`torch storage is made from ${describe(value)}`, { at, likely: LIKELY_DAMAGED });
    }
    return value;
  };
}
