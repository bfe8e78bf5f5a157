/**
 * Sequences that occur twice: the same token ids and the same log-probs of both sides, in single precision. They stay in
 * the figures, since one prompt may be answered in the same words twice, and are reported.
 *
 * @module
 */
import type { FindingLog, RecordBatch } from "../core/schema/index.ts";
import { plural } from "../core/text/index.ts";
import { KeyTable } from "./key-table.ts";
import { ContentHasher, joinWords, type RowContent } from "./row-content.ts";

/** Keys of the sequences of one file that are compared with other files, each once. */
export interface RowKeys {
  readonly keys: Float64Array;
  /** Row of each. */
  readonly rows: Int32Array;
  /** Whether the file has further keys, all larger. */
  readonly isPart: boolean;
}

/** Sequences of one file that are compared with each other at a time. */
const MOST_AT_ONCE = 1 << 20;
/** Approximate limit on the keys of all files of a run together. */
const MOST_KEYS = 1 << 22;
const LEAST_KEYS = 32;
/** A single token says too little: "yes" has the same log-prob in many places. */
const LEAST_TOKENS = 2;

/** How many keys each file of a run may keep; 0 where there is no other file. */
export function keysPerFile(files: number): number {
  return files < 2 ? 0 : Math.max(LEAST_KEYS, Math.floor(MOST_KEYS / files));
}

/** Finds sequences that one source repeats; the keys it keeps let {@link reportRowsAcross} compare other sources. */
export class RepeatedRows {
  readonly #findings: FindingLog;
  readonly #mostKeys: number;
  readonly #seen = new KeyTable();
  /** The rows of the sequences in the table, in order. */
  #rows: number[] = [];
  #batches: string[] = [];
  #kept: { keys: number[]; rows: number[]; isPart: boolean } = { keys: [], rows: [], isPart: false };

  constructor(findings: FindingLog, mostKeys: number) {
    this.#findings = findings;
    this.#mostKeys = mostKeys;
  }

  add(batch: RecordBatch): void {
    const { offsets, steps, ranks, packs } = batch;
    const hasher = new ContentHasher({
      mask: batch.responseMask,
      rollout: batch.rolloutLogprobs,
      trainer: batch.trainerLogprobs,
      ids: batch.responseTokenIds,
    });
    let [step, rank, pack, name] = [Number.NaN, Number.NaN, -1, ""];
    for (let i = 0; i < batch.length; i++) {
      const content = hasher.hash(offsets[i]!, offsets[i + 1]!);
      if (content.tokens < LEAST_TOKENS || !saysSomething(batch, i)) continue;
      if (name === "" || steps[i] !== step || ranks[i] !== rank || packs[i] !== pack) {
        [step, rank, pack] = [steps[i]!, ranks[i]!, packs[i]!];
        name = `${step} ${rank} ${pack}`;
      }
      this.#see(makeKey(content), batch, i, name);
    }
  }

  /** Undefined if there was no sequence. */
  finish(): RowKeys | undefined {
    if (this.#kept.keys.length === 0) return undefined;
    if (this.#kept.keys.length > this.#mostKeys) this.#thin();
    const { keys, rows, isPart } = this.#kept;
    return { keys: Float64Array.from(keys), rows: Int32Array.from(rows), isPart };
  }

  #see(key: number, batch: RecordBatch, i: number, name: string): void {
    if (this.#seen.size >= MOST_AT_ONCE) this.#forget();
    const first = this.#seen.put(key, this.#rows.length);
    const row = batch.rows[i]!;
    if (first === undefined) {
      this.#rows.push(row);
      this.#batches.push(name);
      if (this.#mostKeys === 0) return;
      this.#kept.keys.push(key);
      this.#kept.rows.push(row);
      if (this.#kept.keys.length >= 2 * this.#mostKeys) this.#thin();
    } else {
      const { file } = batch.provenance;
      const place = { file, row, firstFile: file, firstRow: this.#rows[first]!, count: 1 };
      if (this.#batches[first] === name) tellOfOneBatch(place, this.#findings);
      else tellOfOthers(place, this.#findings);
    }
  }

  #forget(): void {
    this.#seen.clear();
    this.#rows = [];
    this.#batches = [];
  }

  /** Keeps the smallest keys, so that two files with the same sequences keep the same ones. */
  #thin(): void {
    const { keys, rows } = this.#kept;
    const order = keys.map((_, i) => i).sort((a, b) => keys[a]! - keys[b]!);
    order.length = Math.min(order.length, this.#mostKeys);
    order.sort((a, b) => a - b);
    this.#kept = { keys: order.map((i) => keys[i]!), rows: order.map((i) => rows[i]!), isPart: true };
  }
}

function makeKey({ logprobs, ids }: RowContent): number {
  if (Number.isNaN(ids)) return logprobs;
  const [high, low] = [Math.floor(logprobs / 2 ** 32), logprobs % 2 ** 32];
  return joinWords(low ^ Math.floor(ids / 2 ** 32), high ^ (ids % 2 ** 32));
}

/** Where all log-probs are missing, or are 0 because the policy was certain, all sequences look alike. */
function saysSomething(batch: RecordBatch, row: number): boolean {
  const { rolloutLogprobs, trainerLogprobs, responseMask, offsets } = batch;
  for (let t = offsets[row]!; t < offsets[row + 1]!; t++) {
    if (responseMask[t] !== 1) continue;
    if (isTelling(rolloutLogprobs?.[t]) || isTelling(trainerLogprobs?.[t])) return true;
  }
  return false;
}

function isTelling(logprob: number | undefined): boolean {
  return logprob !== undefined && Number.isFinite(logprob) && logprob !== 0;
}

/** A sequence and the one that it repeats. */
interface Repeat {
  readonly file: string;
  readonly row: number;
  readonly firstFile: string;
  readonly firstRow: number;
  readonly count: number;
  /** Whether only some of the sequences were compared. */
  readonly isPart?: boolean;
}

function tellOfOneBatch({ file, row, firstRow, count }: Repeat, findings: FindingLog): void {
  findings.add({
    code: "identical-rows",
    severity: "info",
    subject: "identical rows of one batch",
    count,
    at: { file, row },
    likely: "one prompt was answered in the same words twice, or rows were copied",
    hint: "logratio doctor judges whether they are copies",
    describe: (total) =>
      `identical rows of one batch: ${plural(total, "sequence repeats", "sequences repeat")} the tokens and both sides' log-probs of another; ${total === 1 ? `row ${row} repeats` : `the first, row ${row}, repeats`} row ${firstRow}; all are counted`,
  });
}

function tellOfOthers(repeat: Repeat, findings: FindingLog): void {
  const { file, row, firstFile, firstRow, count, isPart } = repeat;
  const where = firstFile === file ? "" : ` of ${firstFile}`;
  findings.add({
    code: "duplicate",
    severity: "warning",
    subject: "rows of another batch",
    count,
    at: { file, row },
    likely: "a batch was written again under another step or name, or a buffer was replayed",
    hint: "give only one of them; logratio doctor judges whether they are copies",
    describe: (total) =>
      `${isPart ? "at least " : ""}${plural(total, "sequence repeats", "sequences repeat")} the tokens and both sides' log-probs of a sequence of another batch; ${total === 1 ? `row ${row} repeats` : `the first, row ${row}, repeats`} row ${firstRow}${where}; all are counted`,
  });
}

/**
 * Reports sequences that other files of the run hold too.
 *
 * @param files in the order of the run
 */
export function reportRowsAcross(
  files: readonly { readonly file: string; readonly rowKeys: RowKeys | undefined }[],
  findings: FindingLog,
): void {
  if (files.length < 2) return;
  const seen = new KeyTable();
  // File and row of each key in the table.
  const inFile: number[] = [];
  const inRow: number[] = [];
  let [count, isPart] = [0, false];
  let first: Repeat | undefined;
  for (const [place, { file, rowKeys }] of files.entries()) {
    if (rowKeys === undefined) continue;
    isPart ||= rowKeys.isPart;
    for (const [i, key] of rowKeys.keys.entries()) {
      const row = rowKeys.rows[i]!;
      const known = seen.put(key, inFile.length);
      if (known === undefined) {
        inFile.push(place);
        inRow.push(row);
        continue;
      }
      count++;
      first ??= { file, row, firstFile: files[inFile[known]!]!.file, firstRow: inRow[known]!, count: 0 };
    }
  }
  if (first !== undefined) tellOfOthers({ ...first, count, isPart }, findings);
}
