import { FormatError, type Place } from "../../../core/base/index.ts";
import { LIKELY_DAMAGED } from "../../io/advice.ts";
import type { Builder } from "./pickle-stack.ts";
import {
  describe,
  isPy,
  type PyDict,
  type PyList,
  type PyValue,
  pyDict,
  sequenceItems,
} from "./pickle-values.ts";

/** Containers of Python's standard library, allowed in every reader. */
export const BUILTIN_BUILDERS: ReadonlyMap<string, Builder> = new Map<string, Builder>([
  ["builtins.list", (args, at) => newList(args[0], at)],
  ["builtins.tuple", (args, at) => ({ kind: "tuple", items: listItems(args[0], at) })],
  ["builtins.set", (args, at) => ({ kind: "set", items: [...listItems(args[0], at)] })],
  ["builtins.frozenset", (args, at) => ({ kind: "set", items: [...listItems(args[0], at)] })],
  ["builtins.dict", (args, at) => newDict(args[0], at)],
  ["builtins.bytes", newBytes],
  ["builtins.bytearray", newBytes],
  ["_codecs.encode", newBytes],
  ["collections.OrderedDict", (args, at) => newDict(args[0], at)],
  ["collections.Counter", (args, at) => newDict(args[0], at)],
  // The first argument is the factory for missing keys, a class that is only named.
  ["collections.defaultdict", (args, at) => newDict(args[1], at)],
  ["collections.deque", (args, at) => newList(args[0], at)],
]);

/** Classes that occur as values: a defaultdict's factory, a type in a configuration. */
export const BUILTIN_NAMES: ReadonlySet<string> = new Set([
  "builtins.bool",
  "builtins.float",
  "builtins.int",
  "builtins.object",
  "builtins.str",
]);

function listItems(value: PyValue | undefined, at: Place): readonly PyValue[] {
  if (value === undefined) return [];
  const items = isPy(value, "set") ? value.items : sequenceItems(value);
  if (items === undefined)
    throw new FormatError(`${describe(value)} is not a sequence`, { at, likely: LIKELY_DAMAGED });
  return items;
}

function newList(value: PyValue | undefined, at: Place): PyList {
  return { kind: "list", run: undefined, items: [...listItems(value, at)] };
}

function newDict(value: PyValue | undefined, at: Place): PyDict {
  if (isPy(value, "dict")) return { kind: "dict", keys: [...value.keys], values: [...value.values] };
  const dict = pyDict();
  for (const pair of listItems(value, at)) {
    const [key, item] = listItems(pair, at);
    if (key === undefined || item === undefined) {
      throw new FormatError(`${describe(pair)} is not a pair of key and value`, {
        at,
        likely: LIKELY_DAMAGED,
      });
    }
    dict.keys.push(key);
    dict.values.push(item);
  }
  return dict;
}

/** Protocol 2 has no bytes: Python writes `_codecs.encode(text, "latin1")`, each byte as one character. */
function newBytes(args: readonly PyValue[], at: Place): Uint8Array {
  const [value, encoding] = args;
  if (value === undefined) return new Uint8Array(0);
  if (value instanceof Uint8Array && encoding === undefined) return value;
  const latin1 = typeof encoding === "string" && /^(latin-?1|iso-?8859-1)$/i.test(encoding);
  if (typeof value !== "string" || !latin1 || !/^[\0-\xff]*$/.test(value)) {
    throw new FormatError(`${describe(value)} in encoding ${describe(encoding)} are not bytes`, {
      at,
      likely: LIKELY_DAMAGED,
    });
  }
  return new Uint8Array(Buffer.from(value, "latin1"));
}
