/**
 * Resolves handles such as `s30.q48.t39` to places in the table of sequences, and names places by handles.
 *
 * Sequences of several files may share a handle. In an address, the second one is `s30.q48~2`, so that a link to it
 * does not open the first.
 *
 * @module
 */
import { formatHandle, type Handle, readHandle } from "../../../src/core/schema/index.ts";
import { formatCounted, formatId } from "../../../src/render/text/display/index.ts";
import { printable } from "../../../src/render/text/index.ts";
import type { SequenceTable } from "../../../src/results/wire/table.ts";
import type { Move } from "./url.ts";

/** The handle of a row of the table. */
export function formatSequenceHandle({ columns }: SequenceTable, index: number): string {
  const known = (value: number | undefined): number => value ?? Number.NaN;
  return formatHandle({
    step: known(columns.step[index]),
    rank: known(columns.rank[index]),
    sequence: known(columns.row[index]),
  });
}

/** What an address calls a sequence: its handle, with a number where it is not the first of that handle. */
export function nameSequence(table: SequenceTable, index: number): string | undefined {
  if (!(index >= 0 && index < table.length)) return undefined;
  const handle = formatSequenceHandle(table, index);
  const at = indexRows(table).get(handle)!.indexOf(index);
  return at === 0 ? handle : `${handle}~${at + 1}`;
}

export interface FoundSequence {
  readonly index: number;
  /** Response token, where the name has one. */
  readonly token: number | undefined;
  /** Places of all sequences that share the handle: more than one where the name does not say which is meant. */
  readonly same: readonly number[];
}

/** The sequence that an address names; undefined where the table has none of that name. */
export function findSequence(table: SequenceTable, name: string): FoundSequence | undefined {
  const read = readName(name);
  if (read === undefined) return undefined;
  const { token, ...sequence } = read.handle;
  const all = indexRows(table).get(formatHandle(sequence)) ?? [];
  const index = all[(read.nth ?? 1) - 1];
  return index === undefined ? undefined : { index, token, same: read.nth === undefined ? all : [index] };
}

/** Where a handle leads: the sequence, and its token where the handle names one; undefined when no sequence has it. */
export function moveToHandle(table: SequenceTable, handle: string): Move | undefined {
  const found = findSequence(table, handle);
  return found && { view: "sequence", sequence: found.index, token: found.token };
}

/** Why an address's name leads nowhere: what was looked for, and what there is. */
export function describeMissing(table: SequenceTable, name: string): string {
  const read = readName(name);
  const all = `${formatCounted(table.length, "sequence")}${span(table, 0, table.length - 1)}`;
  if (read === undefined)
    return `${printable(name)} is not the handle of a sequence, such as s12.r3.q41; this run has ${all}.`;
  const { step, rank } = read.handle;
  const ofStep = [...table.columns.step.subarray(0, table.length).keys()].filter(
    (index) => table.columns.step[index] === step,
  );
  const start = `${printable(name)} is not in this run`;
  if (step === undefined || ofStep.length === 0)
    return `${start}: ${step === undefined ? "no sequence has that handle" : `it has no step ${formatId(step)}`}. It has ${all}.`;
  const ranks = rank === undefined ? ofStep : ofStep.filter((index) => table.columns.rank[index] === rank);
  const place = `step ${formatId(step)}${ranks.length > 0 && rank !== undefined ? `, rank ${formatId(rank)}` : ""}`;
  const there = ranks.length > 0 ? ranks : ofStep;
  return `${start}: ${place} has ${formatCounted(there.length, "sequence")}${span(table, there[0]!, there.at(-1)!)}.`;
}

function span(table: SequenceTable, first: number, last: number): string {
  if (last < first) return "";
  if (last === first) return `, ${formatSequenceHandle(table, first)}`;
  return `, from ${formatSequenceHandle(table, first)} to ${formatSequenceHandle(table, last)}`;
}

function readName(name: string): { readonly handle: Handle; readonly nth: number | undefined } | undefined {
  const [, text = "", nth, token = ""] = /^([^~]*?)(?:~([1-9]\d{0,8})(\.t\d+)?)?$/.exec(name) ?? [];
  // The number follows the sequence's handle, not a token's.
  const handle = nth !== undefined && text.includes("t") ? undefined : readHandle(text + token);
  return handle && { handle, nth: nth === undefined ? undefined : Number(nth) };
}

const indexes = new WeakMap<SequenceTable, ReadonlyMap<string, readonly number[]>>();

function indexRows(table: SequenceTable): ReadonlyMap<string, readonly number[]> {
  const known = indexes.get(table);
  if (known !== undefined) return known;
  const made = new Map<string, number[]>();
  for (let index = 0; index < table.length; index++) {
    const handle = formatSequenceHandle(table, index);
    const same = made.get(handle);
    if (same === undefined) made.set(handle, [index]);
    else same.push(index);
  }
  indexes.set(table, made);
  return made;
}
