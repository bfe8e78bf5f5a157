/**
 * Guards for {@link TreeValue}: the union is public, so they are too.
 *
 * @module
 */
import { isObject } from "../../core/base/index.ts";
import type { PickledObject, Tensor, TreeMap, TreeValue } from "./columns.ts";

/**
 * Whether a value of a document is a tensor, whose rows stay in the file until they are requested.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { isTensor, openDocument, openFile } from "logratio/node";
 *
 * const document = await openDocument(await openFile("examples/demo/stale/step_0010.npz"));
 * assert(document.kind === "tree");
 * const logprobs = document.root.rollout_log_probs;
 * assert(isTensor(logprobs));
 * const [rows = 0, width = 0] = logprobs.shape;
 * const first = await logprobs.readRows(0, 1); // `[width]`, nats
 * assert(rows > 0 && first.length === width);
 * await document.close();
 * ```
 *
 * @returns true for a `Tensor`; false for lists, objects, numbers, texts and missing values
 */
export function isTensor(value: TreeValue | undefined): value is Tensor {
  return (
    typeof value === "object" &&
    value !== null &&
    "kind" in value &&
    value.kind === "tensor" &&
    "readRows" in value &&
    // A JSON object may also have these names, but never a function.
    typeof value.readRows === "function"
  );
}

/** Whether a value is an object that the unpickler recorded but did not build. */
export function isPickled(value: TreeValue | undefined): value is PickledObject {
  return (
    typeof value === "object" &&
    value !== null &&
    "kind" in value &&
    value.kind === "object" &&
    "className" in value &&
    typeof value.className === "string" &&
    Array.isArray(value.args)
  );
}

/** Whether a value is a list of values; arrays of numbers are typed arrays instead. */
export function isList(value: TreeValue | undefined): value is readonly TreeValue[] {
  return Array.isArray(value);
}

/**
 * Whether a value of a document is an object of named values.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { isMap, memorySource, openDocument } from "logratio/node";
 *
 * const bytes = new TextEncoder().encode('{"batch": {"step": 3}, "note": "text"}');
 * const document = await openDocument(memorySource("step.json", bytes));
 * assert(document.kind === "tree");
 * const { batch, note } = document.root;
 * assert(isMap(batch) && batch.step === 3);
 * assert(!isMap(note));
 * await document.close();
 * ```
 *
 * @returns false for tensors, lists, typed arrays, pickled objects and missing values
 */
export function isMap(value: TreeValue | undefined): value is TreeMap {
  return isObject(value) && !isTensor(value) && !isPickled(value);
}
