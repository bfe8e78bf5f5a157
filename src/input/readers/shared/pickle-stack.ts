import { checkMemory, FormatError, LimitError, type Place } from "../../../core/base/index.ts";
import { LIKELY_CRAFTED, LIKELY_CUT_OFF, LIKELY_DAMAGED } from "../../io/advice.ts";
import { MAX_PICKLE_MEMO, PICKLE_CONTAINER_BYTES, PICKLE_DICT_BYTES } from "../../io/limits.ts";
import type { UnknownClasses } from "./pickle-globals.ts";
import { isPy, type PyList, type PyValue } from "./pickle-values.ts";

/** Makes a value from the arguments of an allowed global: pure data in, data out. */
export type Builder = (args: readonly PyValue[], at: Place) => PyValue;

/** Memory used so far by the pickles of one file. */
export interface PickleBudget {
  /** Bytes of heap, estimated. */
  spent: number;
  /** Whether there are byte strings or nested tensors, which may hold more than they seem to. */
  expandable: boolean;
}

/** What a kind of file allows in its pickles. */
export interface PickleEnvironment {
  /** Globals that may be called, with their builders. */
  readonly builders: ReadonlyMap<string, Builder>;
  /** Globals that may only be named as values (dtypes, storage types). */
  readonly names: ReadonlySet<string>;
  readonly unknownClasses: UnknownClasses;
  /** Resolves a persistent id (in torch, a storage); if absent, such ids are refused. */
  readonly persistent?: (id: PyValue, at: Place) => PyValue;
  readonly file: string;
  readonly entry?: string;
  /** Offset of the pickle in its file or member; added to the offsets in errors. */
  readonly base: number;
  /** Shared by all pickles in the file. */
  readonly budget: PickleBudget;
  /** Whether more may follow after the end of the pickle. */
  readonly trailing?: boolean;
}

/** The state of one run: Python's stack machine, with a cursor over the bytes. */
export interface Machine {
  readonly bytes: Buffer;
  readonly view: DataView;
  readonly environment: PickleEnvironment;
  /** Position after the current opcode and the operands read so far. */
  pos: number;
  opStart: number;
  stack: PyValue[];
  /** Stack heights at the open MARKs. */
  readonly marks: number[];
  readonly memo: PyValue[];
  /** Slots in use; MEMOIZE fills the next one. */
  memoized: number;
  /** Limit on the heap that the values may take, in bytes; the environment's budget has what they took. */
  readonly limit: number;
  finished: boolean;
}

export function place(machine: Machine, offset = machine.opStart): Place {
  const { file, entry, base } = machine.environment;
  return { file, ...(entry === undefined ? {} : { entry }), offset: base + offset };
}

/** Moves over `count` operand bytes and returns where they start. */
export function take(machine: Machine, count: number): number {
  const start = machine.pos;
  const left = machine.bytes.length - start;
  if (count > left) {
    throw new FormatError(
      `pickle is cut off: the opcode at byte ${machine.environment.base + machine.opStart} needs ${count} bytes, found ${left}`,
      { at: place(machine), likely: LIKELY_CUT_OFF },
    );
  }
  machine.pos = start + count;
  return start;
}

/** An 8-byte length; one that does not fit a double is past the end in any case. */
export function takeLength8(machine: Machine): number {
  const at = take(machine, 8);
  return machine.view.getUint32(at, true) + machine.view.getUint32(at + 4, true) * 4294967296;
}

export function push(machine: Machine, value: PyValue): void {
  machine.stack.push(value);
}

export function pop(machine: Machine, opcode: string): PyValue {
  const floor = machine.marks.at(-1) ?? 0;
  if (machine.stack.length <= floor) throw corrupt(machine, opcode, "a value on the stack");
  return machine.stack.pop()!;
}

/** The values since the last MARK, taken off the stack together with it. */
export function popMark(machine: Machine, opcode: string): PyValue[] {
  const mark = machine.marks.pop();
  if (mark === undefined) throw corrupt(machine, opcode, "a MARK");
  return machine.stack.splice(mark);
}

export function top(machine: Machine, opcode: string): PyValue {
  const value = machine.stack.at(-1);
  if (value === undefined || machine.stack.length <= (machine.marks.at(-1) ?? 0)) {
    throw corrupt(machine, opcode, "a value on the stack");
  }
  return value;
}

export function topList(machine: Machine): PyList | undefined {
  const value = machine.stack.at(-1);
  return isPy(value, "list") ? value : undefined;
}

/** Must be called before the values are made. */
export function spend(machine: Machine, bytes: number): void {
  const { budget } = machine.environment;
  budget.spent += bytes;
  if (budget.spent > machine.limit) checkMemory(budget.spent, "the pickle", place(machine));
}

/** Counts one more list, tuple, dict, set or object. */
export function countContainer<T extends PyValue>(machine: Machine, value: T): T {
  spend(machine, PICKLE_CONTAINER_BYTES + (isPy(value, "dict") ? PICKLE_DICT_BYTES : 0));
  return value;
}

export function memoPut(machine: Machine, index: number, value: PyValue): void {
  if (index >= MAX_PICKLE_MEMO) {
    throw new LimitError(`pickle uses memo slot ${index}; at most ${MAX_PICKLE_MEMO} are kept`, {
      at: place(machine),
      likely: LIKELY_CRAFTED,
    });
  }
  if (machine.memo[index] === undefined) machine.memoized++;
  machine.memo[index] = value;
}

export function memoGet(machine: Machine, index: number): PyValue {
  const value = machine.memo[index];
  if (value === undefined) throw corrupt(machine, "GET", `a value in memo slot ${index}`);
  return value;
}

export function corrupt(machine: Machine, opcode: string, wanted: string): FormatError {
  return new FormatError(`pickle is corrupt: ${opcode} needs ${wanted}`, {
    at: place(machine),
    likely: LIKELY_DAMAGED,
  });
}
