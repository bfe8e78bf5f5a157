import { FormatError } from "../../../core/base/index.ts";
import { LIKELY_DAMAGED } from "../../io/advice.ts";
import { lookUpGlobal } from "./pickle-globals.ts";
import { fillNdarray, setDtypeOrder } from "./pickle-numpy.ts";
import { corrupt, countContainer, type Machine, place, spend } from "./pickle-stack.ts";
import { describe, isPy, type PyGlobal, type PyValue, recorded } from "./pickle-values.ts";

/** GLOBAL: names a class or function. It is looked up in the allow-list, never in a running program. */
export function findGlobal(machine: Machine, module: string, name: string): PyGlobal {
  const { builders, names, unknownClasses } = machine.environment;
  const allowed = (full: string): boolean => builders.has(full) || names.has(full);
  const found = lookUpGlobal(module, name, allowed, unknownClasses, place(machine));
  return { kind: "global", name: found.name, unknown: found.as === "recorded" };
}

/** REDUCE: an allowed global has a builder that makes the data; any other call is recorded, or refused. */
export function callGlobal(machine: Machine, callee: PyValue | undefined, args: readonly PyValue[]): PyValue {
  if (!isPy(callee, "global")) {
    throw new FormatError(`refused to call ${describe(callee)}`, {
      at: place(machine),
      likely: "the file was crafted to run code on the machine that loads it; nothing was run",
    });
  }
  if (callee.unknown) return countContainer(machine, recorded(callee.name, args));
  const builder = machine.environment.builders.get(callee.name);
  if (builder === undefined) {
    throw new FormatError(`refused to call ${callee.name}, which is only allowed as a value`, {
      at: place(machine),
      likely: LIKELY_DAMAGED,
    });
  }
  const made = countContainer(machine, builder(args, place(machine)));
  if (made instanceof Uint8Array) machine.environment.budget.expandable = true;
  spend(machine, ITEM_BYTES * itemCount(made) + copiedBytes(made, args));
  return made;
}

/** Heap of an item in a list or dict that was copied from another, which has no opcode of its own. */
const ITEM_BYTES = 24;

/** Heap of bytes that a call made from text, which can be memoized and encoded repeatedly; twice during the call. */
function copiedBytes(made: PyValue, args: readonly PyValue[]): number {
  return made instanceof Uint8Array && !args.includes(made) ? 2 * made.length : 0;
}

function itemCount(value: PyValue): number {
  if (isPy(value, "list") || isPy(value, "tuple") || isPy(value, "set")) return value.items.length;
  return isPy(value, "dict") ? 2 * value.keys.length : 0;
}

/** NEWOBJ and NEWOBJ_EX: `class.__new__(class, *args, **keywords)`. */
export function newObject(
  machine: Machine,
  callee: PyValue,
  args: PyValue,
  keywords: PyValue | undefined,
): PyValue {
  if (!isPy(args, "tuple")) throw corrupt(machine, "NEWOBJ", "a tuple of arguments");
  const named = isPy(keywords, "dict") && keywords.keys.length > 0 ? [keywords] : [];
  return callGlobal(machine, callee, [...args.items, ...named]);
}

/** BUILD: `__setstate__`, or an update of the object's attributes. */
export function buildState(machine: Machine, target: PyValue, state: PyValue): void {
  if (isPy(target, "recorded")) {
    if (target.state !== undefined) throw corrupt(machine, "BUILD", "an object without a state");
    target.state = state;
  } else if (isPy(target, "ndarray")) fillNdarray(target, state, place(machine));
  else if (isPy(target, "dtype")) setDtypeOrder(target, state, place(machine));
  // An OrderedDict may carry attributes (torch's state_dict has `_metadata`, the versions of its modules). They are
  // not items, and no dump keeps data there.
  else if (!isPy(target, "dict")) {
    throw new FormatError(`pickle is corrupt: BUILD cannot fill ${describe(target)}`, {
      at: place(machine),
      likely: LIKELY_DAMAGED,
    });
  }
}
