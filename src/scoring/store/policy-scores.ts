/**
 * Scores of one policy while it runs and afterwards: parts of a few texts each, then one file in the study's order.
 *
 * @module
 */
import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { ErrorSpan } from "../../analyses/kl/index.ts";
import { makeDirectory, removeLeftovers } from "../../input/io/index.ts";
import { paths } from "./manifest.ts";
import { type DamagedScores, readSoundKeys } from "./scores-damage.ts";
import {
  readScores,
  type ScoreRow,
  type ScoresFileContents,
  type ScoresLayout,
  writeScores,
} from "./scores-file.ts";

/** Texts and seconds after which what was scored is saved. */
const PART_TEXTS = 64;
const PART_MS = 15_000;

export interface PolicyScoresFile {
  /** Keys of texts that have scores. */
  readonly done: ReadonlySet<string>;
  add(row: ScoreRow): Promise<void>;
  /** Saves what is not saved yet, and leaves it as parts. */
  pause(): Promise<void>;
  /** Makes one file of all parts, in the order of `order` (keys); what is not named there is left out. */
  finish(order: readonly string[]): Promise<void>;
}

export interface OpenScoresOptions {
  /** Of the models whose scores they are: those of others are thrown away. */
  readonly fingerprint: string;
  /** The first error of each text of the study, by its key. */
  readonly errors?: ReadonlyMap<string, ErrorSpan | undefined>;
  /** The policy was finished before, so there is a file of its scores. */
  readonly finished?: boolean;
  /** Called for each file whose scores are lost. */
  readonly onDamage?: (damaged: DamagedScores) => void;
}

/**
 * Opens a policy's scores to add to them. Files that are not what was written, scores of other models, those that lack
 * columns which `layout` asks for and those whose attention is to another error than `errors` say are thrown away.
 * Columns beyond `layout` stay until the file is written again with more texts.
 */
export async function openPolicyScores(
  dir: string,
  policy: string,
  layout: ScoresLayout,
  { fingerprint, errors = new Map(), finished = false, onDamage }: OpenScoresOptions,
): Promise<PolicyScoresFile> {
  const whole = paths.scores(dir, policy);
  const parts = paths.parts(dir, policy);
  makeDirectory(parts);
  await removeLeftovers(dirname(whole));
  await removeLeftovers(parts);
  const done = new Set<string>();
  const files: string[] = [];
  let inOrder: readonly string[] | undefined;
  const saved = await partFiles(parts);
  for (const file of [whole, ...saved]) {
    const found = await readSoundKeys(file);
    if (found === undefined) {
      if (finished) onDamage?.({ file, why: "it is missing" });
      continue;
    }
    const isDamaged = "why" in found;
    if (isDamaged) onDamage?.(found);
    if (isDamaged || found.fingerprint !== fingerprint || isLacking(found, layout, errors)) {
      await rm(file, { recursive: true, force: true });
      continue;
    }
    for (const key of found.keys) done.add(key);
    if (file === whole) inOrder = found.keys;
    files.push(file);
  }
  const numbers = new Set(saved.map(parsePartNumber));
  for (let number = 0; number < Math.max(-1, ...numbers); number++)
    if (!numbers.has(number)) onDamage?.({ file: partFile(parts, number), why: "it is missing" });

  let held: ScoreRow[] = [];
  let savedAt = Date.now();
  const taken = new Set(files.filter((file) => file !== whole).map(parsePartNumber));
  let writing: Promise<void> = Promise.resolve();
  const write = async (rows: readonly ScoreRow[]): Promise<void> => {
    // The first that is free: a gap in the numbers is a file that was lost.
    let number = 0;
    while (taken.has(number)) number++;
    taken.add(number);
    const file = partFile(parts, number);
    await writeScores(file, layout, rows, fingerprint);
    files.push(file);
  };
  const save = (): Promise<void> => {
    savedAt = Date.now();
    // Others add rows while these are written.
    const rows = held;
    held = [];
    if (rows.length > 0) writing = writing.then(() => write(rows));
    return writing;
  };

  return {
    done,
    async add(row) {
      done.add(row.key);
      held.push(row);
      if (held.length >= PART_TEXTS || Date.now() - savedAt >= PART_MS) await save();
    },
    async pause() {
      await save();
      if ((await partFiles(parts)).length === 0) await rm(parts, { recursive: true, force: true });
    },
    async finish(order) {
      await save();
      const wanted = order.filter((key) => done.has(key));
      const complete = files.length === 1 && files[0] === whole && sameOrder(inOrder, wanted);
      if (!complete && wanted.length > 0)
        await writeScores(whole, layout, readInOrder(files, wanted), fingerprint);
      await rm(parts, { recursive: true, force: true });
    },
  };
}

function isLacking(
  { keys, partners, attention }: ScoresFileContents,
  layout: ScoresLayout,
  errors: ReadonlyMap<string, ErrorSpan | undefined>,
): boolean {
  if (layout.partners.some((partner) => !partners.includes(partner))) return true;
  if (layout.attention === undefined) return false;
  if (attention === undefined) return true;
  if (layout.attention.hiding.some((partner) => !attention.hiding.includes(partner))) return true;
  return keys.some((key, i) => {
    const [wanted, there] = [errors.get(key), attention.errors[i]];
    return errors.has(key) && (wanted?.from !== there?.from || wanted?.token !== there?.token);
  });
}

function sameOrder(a: readonly string[] | undefined, b: readonly string[]): boolean {
  return a?.length === b.length && a.every((key, i) => key === b[i]);
}

/** Rows of all files in the order of `wanted`: as a stream where the files already have it, else by way of memory. */
async function* readInOrder(files: readonly string[], wanted: readonly string[]): AsyncGenerator<ScoreRow> {
  const place = new Map(wanted.map((key, i) => [key, i]));
  const waiting = new Map<number, ScoreRow>();
  let next = 0;
  for (const file of files) {
    for await (const row of readScores(file)) {
      const i = place.get(row.key);
      if (i === undefined || i < next || waiting.has(i)) continue;
      waiting.set(i, row);
      while (waiting.has(next)) {
        yield waiting.get(next)!;
        waiting.delete(next++);
      }
    }
  }
}

async function partFiles(dir: string): Promise<string[]> {
  const names = await readdir(dir).catch(() => []);
  return names
    .filter((name) => name.endsWith(".parquet") && !name.startsWith("."))
    .sort()
    .map((name) => join(dir, name));
}

function partFile(dir: string, number: number): string {
  return join(dir, `${String(number).padStart(6, "0")}.parquet`);
}

function parsePartNumber(part: string): number {
  return Number.parseInt(basename(part), 10);
}
