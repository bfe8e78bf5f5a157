import type { TreeMap, TreeValue } from "../../io/columns.ts";

/** The tree of a file whose outermost value is not a dict: that value under the name `value`. */
export function asTreeMap(value: TreeValue): TreeMap {
  return isTreeMap(value) ? value : Object.assign(Object.create(null), { value });
}

function isTreeMap(value: TreeValue): value is TreeMap {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === null;
}
