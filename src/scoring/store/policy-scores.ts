/**
 * Scores of one policy while it runs and afterwards: parts of a few texts each, then one file in the study's order.
 *
 * @module
 */
import { readdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeDirectory } from "../../io/make-directory.ts";
import { removeLeftovers } from "../../io/scratch.ts";
import type { ErrorSpan } from "../../kl/error-span.ts";
import { paths } from "./manifest.ts";
import {
  readKeys,
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

/**
 * Opens a policy's scores to add to them. Scores that lack columns which `layout` asks for, whose attention is to
 * another error than `errors` say, or that `keep` is false for, are thrown away. Columns beyond `layout` stay until the
 * file is written again with more texts.
 *
 * @param errors the first error of each text of the study, by its key
 */
export async function openPolicyScores(
  dir: string,
  policy: string,
  layout: ScoresLayout,
  keep: boolean,
  errors: ReadonlyMap<string, ErrorSpan | undefined> = new Map(),
): Promise<PolicyScoresFile> {
  const whole = paths.scores(dir, policy);
  const parts = paths.parts(dir, policy);
  if (!keep) {
    await rm(whole, { force: true });
    await rm(parts, { recursive: true, force: true });
  }
  makeDirectory(parts);
  await removeLeftovers(dirname(whole));
  const done = new Set<string>();
  const files: string[] = [];
  let inOrder: readonly string[] | undefined;
  for (const file of [whole, ...(await partFiles(parts))]) {
    const found = await keysOf(file);
    if (found === undefined) continue;
    if (isLacking(found, layout, errors)) {
      await rm(file, { force: true });
      continue;
    }
    for (const key of found.keys) done.add(key);
    if (file === whole) inOrder = found.keys;
    files.push(file);
  }

  let held: ScoreRow[] = [];
  let saved = Date.now();
  let part = await nextPart(parts);
  const save = async (): Promise<void> => {
    saved = Date.now();
    if (held.length === 0) return;
    const file = join(parts, `${String(part++).padStart(6, "0")}.parquet`);
    await writeScores(file, layout, held);
    files.push(file);
    held = [];
  };

  return {
    done,
    async add(row) {
      done.add(row.key);
      held.push(row);
      if (held.length >= PART_TEXTS || Date.now() - saved >= PART_MS) await save();
    },
    async pause() {
      await save();
      if ((await partFiles(parts)).length === 0) await rm(parts, { recursive: true, force: true });
    },
    async finish(order) {
      await save();
      const wanted = order.filter((key) => done.has(key));
      const complete = files.length === 1 && files[0] === whole && sameOrder(inOrder, wanted);
      if (!complete && wanted.length > 0) await writeScores(whole, layout, inOrderOf(files, wanted));
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
async function* inOrderOf(files: readonly string[], wanted: readonly string[]): AsyncGenerator<ScoreRow> {
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

async function nextPart(dir: string): Promise<number> {
  const last = (await partFiles(dir)).at(-1);
  return last === undefined ? 0 : Number.parseInt(last.slice(-"000000.parquet".length), 10) + 1;
}

async function keysOf(file: string): Promise<ScoresFileContents | undefined> {
  const there = await stat(file).then(
    () => true,
    () => false,
  );
  return there ? await readKeys(file) : undefined;
}
