import { FormatError, LimitError, type Place, UnsupportedError } from "../../../core/base/index.ts";
import { LIKELY_CRAFTED } from "../../io/advice.ts";
import type { PickledObject, TreeValue } from "../../io/columns.ts";
import { MAX_PICKLE_DEPTH, MAX_PICKLE_EXPANSION, MAX_PICKLE_EXPANSION_FLOOR } from "../../io/limits.ts";
import {
  againWeight,
  classValue,
  jaggedValue,
  keyText,
  ndarrayTensor,
  nest,
  typedNumbers,
} from "./pickle-tree-values.ts";
import {
  describe,
  type PyList,
  type PyNdarray,
  type PyObject,
  type PyRecorded,
  type PyValue,
} from "./pickle-values.ts";

/** A finished value, and its number of values with shared ones counted at each reference. */
interface Converted {
  readonly value: TreeValue;
  readonly weight: number;
}

/** The data in an object of a known class; undefined keeps the object. */
export type Unwrap = (object: PyRecorded, at: Place) => PyValue | undefined;

/**
 * Turns unpickled values into a tree. Lists and tuples of numbers become typed arrays: Int32Array when all are ints
 * that fit, Float64Array otherwise (ints beyond 2^53 are rounded); dicts become maps without a prototype, their keys
 * written as text; arrays become tensors in memory; classes become their names.
 *
 * @throws LimitError if values are nested too deep, or reference each other too often
 * @throws FormatError if a container holds itself, or two keys of a dict have the same text
 */
export function toTree(
  root: PyValue,
  pickleBytes: number,
  at: Place,
  unwrap: Unwrap = () => undefined,
): TreeValue {
  return new PickleTree(pickleBytes, at, unwrap).build(root);
}

class PickleTree {
  readonly #pickleBytes: number;
  readonly #at: Place;
  readonly #unwrap: Unwrap;
  readonly #limit: number;
  readonly #finished = new Map<PyObject, Converted>();
  readonly #open = new Set<PyObject>();

  constructor(pickleBytes: number, at: Place, unwrap: Unwrap) {
    this.#pickleBytes = pickleBytes;
    this.#at = at;
    this.#unwrap = unwrap;
    this.#limit = MAX_PICKLE_EXPANSION_FLOOR + MAX_PICKLE_EXPANSION * pickleBytes;
  }

  build(root: PyValue): TreeValue {
    return this.#convert(root).value;
  }

  #convert(value: PyValue): Converted {
    if (value === null || typeof value !== "object" || value instanceof Uint8Array)
      return { value, weight: 1 };
    const known = this.#finished.get(value);
    if (known !== undefined) return { value: known.value, weight: known.weight + againWeight(known.value) };
    if (this.#open.has(value)) {
      throw new FormatError(`pickle holds ${describe(value)} that contains itself`, {
        at: this.#at,
        likely: LIKELY_CRAFTED,
      });
    }
    if (this.#open.size >= MAX_PICKLE_DEPTH) {
      throw new LimitError(`pickle is nested deeper than ${MAX_PICKLE_DEPTH} levels`, {
        at: this.#at,
        likely: LIKELY_CRAFTED,
      });
    }
    this.#open.add(value);
    const converted = this.#convertObject(value);
    this.#open.delete(value);
    if (converted.weight > this.#limit) {
      throw new LimitError(
        `pickle of ${this.#pickleBytes} bytes unfolds to ${converted.weight} values; at most ${this.#limit} are read`,
        { at: this.#at, likely: "its lists refer to each other again and again, to exhaust memory" },
      );
    }
    this.#finished.set(value, converted);
    return converted;
  }

  #convertAll(values: readonly PyValue[]): Converted {
    const numbers = typedNumbers(values);
    if (numbers !== undefined) return { value: numbers, weight: 1 + numbers.length };
    let weight = 1;
    const items = values.map((item) => {
      const converted = this.#convert(item);
      weight += converted.weight;
      return converted.value;
    });
    return { value: items, weight };
  }

  #convertMap(keys: readonly PyValue[], values: readonly PyValue[]): Converted {
    const map: Record<string, TreeValue> = Object.create(null);
    const named = new Map<string, PyValue>();
    let weight = 1;
    keys.forEach((key, i) => {
      const name = keyText(key, this.#at);
      const other = named.get(name);
      if (other !== undefined && typeof other !== typeof key) {
        throw new FormatError(`dict has two keys that both become "${name}"`, { at: this.#at });
      }
      named.set(name, key);
      const converted = this.#convert(values[i]!);
      weight += converted.weight;
      map[name] = converted.value;
    });
    return { value: map, weight };
  }

  #convertRecorded(object: PyRecorded): Converted {
    const plain = this.#unwrap(object, this.#at);
    if (plain !== undefined) return this.#convert(plain);
    const args = object.args.map((arg) => this.#convert(arg));
    const state = object.state === undefined ? undefined : this.#convert(object.state);
    const items =
      object.keys.length > 0
        ? this.#convertMap(object.keys, object.values)
        : object.items.length > 0
          ? this.#convertAll(object.items)
          : undefined;
    const value: PickledObject = {
      kind: "object",
      className: object.className,
      args: args.map((arg) => arg.value),
      state: state?.value,
      ...(items === undefined ? {} : { items: items.value }),
    };
    const weight =
      args.reduce((sum, arg) => sum + arg.weight, 1) + (state?.weight ?? 0) + (items?.weight ?? 0);
    return { value, weight };
  }

  #convertObject(value: PyObject): Converted {
    switch (value.kind) {
      case "list":
        return this.#convertList(value);
      case "tuple":
      case "set":
        return this.#convertAll(value.items);
      case "dict":
        return this.#convertMap(value.keys, value.values);
      case "recorded":
        return this.#convertRecorded(value);
      case "global":
        return { value: value.unknown ? classValue(value.name) : value.name, weight: 1 };
      case "dtype":
        return { value: value.code, weight: 1 };
      case "tensor":
        return { value: value.tensor, weight: 1 };
      case "ndarray":
        return this.#convertNdarray(value);
      case "jagged":
        return { value: jaggedValue(value), weight: 3 };
      case "storage":
        throw new UnsupportedError("a bare torch storage is not read", {
          at: this.#at,
          hint: "save it as a tensor",
        });
    }
  }

  #convertList(list: PyList): Converted {
    if (list.run === undefined) return this.#convertAll(list.items);
    const { values, length } = list.run;
    return { value: length === values.length ? values : values.slice(0, length), weight: 1 + length };
  }

  #convertNdarray(array: PyNdarray): Converted {
    const { content } = array;
    if (content === undefined)
      throw new FormatError("pickled numpy.ndarray was never filled in", { at: this.#at });
    if (content.data instanceof Uint8Array)
      return { value: ndarrayTensor(content, content.data, this.#at), weight: 1 };
    const flat = this.#convertList(content.data);
    return { value: nest(flat.value, content), weight: flat.weight };
  }
}
