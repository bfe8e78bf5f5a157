import type { Place } from "../../../core/base/index.ts";
import type { TreeValue } from "../../io/columns.ts";
import { BUILTIN_BUILDERS, BUILTIN_NAMES } from "./pickle-builtins.ts";
import type { UnknownClasses } from "./pickle-globals.ts";
import { runPickle, type Unpickled } from "./pickle-machine.ts";
import { NUMPY_BUILDERS, NUMPY_NAMES } from "./pickle-numpy.ts";
import type { Builder, PickleBudget } from "./pickle-stack.ts";
import { toTree, type Unwrap } from "./pickle-tree.ts";
import type { PyValue } from "./pickle-values.ts";

export interface PickleOptions {
  /**
   * Classes that are not on the list of plain data: `refuse` (the default) stops with an error that names the class;
   * `record` keeps each object as a `PickledObject`. Neither runs anything, and modules that reach the operating
   * system or the interpreter are refused in both.
   */
  readonly unknownClasses?: UnknownClasses;
}

/** The pickle's place, and what its kind of file allows beyond Python's containers and NumPy's arrays. */
export interface PickleSource {
  readonly file: string;
  readonly entry?: string;
  /** Byte offset of the pickle in its file or member. */
  readonly base?: number;
  readonly builders?: ReadonlyMap<string, Builder>;
  readonly names?: ReadonlySet<string>;
  readonly persistent?: (id: PyValue, at: Place) => PyValue;
  /** Converts objects of known classes to the data in them; undefined keeps an object. */
  readonly unwrap?: Unwrap;
  /** Shared by all pickles of one file. */
  readonly budget?: PickleBudget;
  /** Whether more may follow after the end of the pickle. */
  readonly trailing?: boolean;
}

/**
 * Reads a pickle of protocol 2 to 5 without executing anything in it.
 *
 * @throws FormatError, LimitError, UnsupportedError as {@link runPickle} and {@link toTree} say
 */
export function readPickle(bytes: Uint8Array, source: PickleSource, options: PickleOptions = {}): TreeValue {
  return pickleTree(unpickle(bytes, source, options), bytes.length, source);
}

/** The first half of {@link readPickle}: the values, and where the pickle ends. */
export function unpickle(bytes: Uint8Array, source: PickleSource, options: PickleOptions = {}): Unpickled {
  const { file, entry, base = 0, persistent, trailing } = source;
  return runPickle(bytes, {
    file,
    ...(entry === undefined ? {} : { entry }),
    base,
    builders: new Map([...BUILTIN_BUILDERS, ...NUMPY_BUILDERS, ...(source.builders ?? [])]),
    names: new Set([...BUILTIN_NAMES, ...NUMPY_NAMES, ...(source.names ?? [])]),
    unknownClasses: options.unknownClasses ?? "refuse",
    budget: source.budget ?? { spent: 0, expandable: false },
    ...(persistent === undefined ? {} : { persistent }),
    ...(trailing === undefined ? {} : { trailing }),
  });
}

/** The second half of {@link readPickle}. */
export function pickleTree({ root }: Unpickled, pickleBytes: number, source: PickleSource): TreeValue {
  const { file, entry, base = 0 } = source;
  return toTree(
    root,
    pickleBytes,
    { file, ...(entry === undefined ? {} : { entry }), offset: base },
    source.unwrap,
  );
}
