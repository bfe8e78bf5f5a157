/**
 * Scores of one policy, while it runs and afterwards: parts of a few texts each, then one file in the study's order.
 *
 * @module
 */
import { rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { listIfPresent, makeDirectory, removeLeftovers } from "../../../input/io/index.ts";
import type { ErrorSpan } from "../../analysis/error-span.ts";
import { paths } from "./manifest.ts";
import { type DamagedScores, readSoundKeys } from "./scores-damage.ts";
import {
  readScores,
  type ScoreRow,
  type ScoresFileContents,
  type ScoresLayout,
  writeScores,
} from "./scores-file.ts";

/** Scores are saved after this many texts or seconds. */
const PART_TEXTS = 64;
const PART_MS = 15_000;

export interface PolicyScoresFile {
  /** Keys of texts that have scores. */
  readonly done: ReadonlySet<string>;
  add(row: ScoreRow): Promise<void>;
  /** Saves unsaved scores as parts. */
  pause(): Promise<void>;
  /** Merges all parts into one file in the order of `order` (keys); other texts are dropped. */
  finish(order: readonly string[]): Promise<void>;
}

export interface OpenScoresOptions {
  /** Fingerprint of the models; scores of other models are discarded. */
  readonly fingerprint: string;
  /** The first error of each text of the study, by its key. */
  readonly errors?: ReadonlyMap<string, ErrorSpan | undefined>;
  /** Whether the policy was finished before, so that a file of its scores exists. */
  readonly finished?: boolean;
  /** Called for each file whose scores are lost. */
  readonly onDamage?: (damaged: DamagedScores) => void;
}

/**
 * Opens a policy's scores to add to them. Damaged files, scores of other models, scores that lack columns of `layout`,
 * and scores with attention to an error different from that in `errors` are discarded. Columns beyond `layout` stay
 * until the file is rewritten with more texts.
 */
export async function openPolicyScores(
  dir: string,
  policy: string,
  layout: ScoresLayout,
  options: OpenScoresOptions,
): Promise<PolicyScoresFile> {
  const folder = paths.parts(dir, policy);
  const whole = paths.scores(dir, policy);
  makeDirectory(folder);
  await removeLeftovers(dirname(whole));
  await removeLeftovers(folder);
  const saved = await partFiles(folder);
  const sound = await keepSoundFiles([whole, ...saved], layout, options);
  const numbers = new Set(saved.map(parsePartNumber));
  for (let number = 0; number < Math.max(-1, ...numbers); number++)
    if (!numbers.has(number)) options.onDamage?.({ file: partFile(folder, number), why: "it is missing" });
  return new ScoresParts(whole, folder, layout, options.fingerprint, sound);
}

/** A file of an earlier run, and the keys of its texts in file order. */
interface SoundFile {
  readonly file: string;
  readonly keys: readonly string[];
}

/** Files with valid scores; the others are removed, and reported if damaged. */
async function keepSoundFiles(
  candidates: readonly string[],
  layout: ScoresLayout,
  { fingerprint, errors = new Map(), finished = false, onDamage }: OpenScoresOptions,
): Promise<SoundFile[]> {
  const sound: SoundFile[] = [];
  for (const file of candidates) {
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
    sound.push({ file, keys: found.keys });
  }
  return sound;
}

/** Collects scores, in files of a few texts each next to the merged one. */
class ScoresParts implements PolicyScoresFile {
  readonly done: Set<string>;
  readonly #whole: string;
  readonly #folder: string;
  readonly #layout: ScoresLayout;
  readonly #fingerprint: string;
  readonly #files: string[];
  /** Keys of the merged file, in its order. */
  readonly #inOrder: readonly string[] | undefined;
  readonly #taken: Set<number>;
  #held: ScoreRow[] = [];
  #savedAt = Date.now();
  #writing: Promise<void> = Promise.resolve();

  constructor(
    whole: string,
    folder: string,
    layout: ScoresLayout,
    fingerprint: string,
    sound: readonly SoundFile[],
  ) {
    this.#whole = whole;
    this.#folder = folder;
    this.#layout = layout;
    this.#fingerprint = fingerprint;
    this.done = new Set(sound.flatMap(({ keys }) => keys));
    this.#files = sound.map(({ file }) => file);
    this.#inOrder = sound.find(({ file }) => file === whole)?.keys;
    this.#taken = new Set(this.#files.filter((file) => file !== whole).map(parsePartNumber));
  }

  async add(row: ScoreRow): Promise<void> {
    this.done.add(row.key);
    this.#held.push(row);
    if (this.#held.length >= PART_TEXTS || Date.now() - this.#savedAt >= PART_MS) await this.#save();
  }

  async pause(): Promise<void> {
    await this.#save();
    if ((await partFiles(this.#folder)).length === 0)
      await rm(this.#folder, { recursive: true, force: true });
  }

  async finish(order: readonly string[]): Promise<void> {
    await this.#save();
    const wanted = order.filter((key) => this.done.has(key));
    const isComplete =
      this.#files.length === 1 &&
      this.#files[0] === this.#whole &&
      this.#inOrder?.length === wanted.length &&
      this.#inOrder.every((key, i) => key === wanted[i]);
    if (!isComplete && wanted.length > 0)
      await writeScores(this.#whole, this.#layout, readInOrder(this.#files, wanted), this.#fingerprint);
    await rm(this.#folder, { recursive: true, force: true });
  }

  #save(): Promise<void> {
    this.#savedAt = Date.now();
    // Rows may be added while these are written.
    const rows = this.#held;
    this.#held = [];
    if (rows.length > 0) this.#writing = this.#writing.then(() => this.#write(rows));
    return this.#writing;
  }

  async #write(rows: readonly ScoreRow[]): Promise<void> {
    // Uses the first free number: a gap is a file that was lost.
    let number = 0;
    while (this.#taken.has(number)) number++;
    this.#taken.add(number);
    const file = partFile(this.#folder, number);
    await writeScores(file, this.#layout, rows, this.#fingerprint);
    this.#files.push(file);
  }
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

/** Rows of all files in the order of `wanted`: streamed if the files already have that order, else through memory. */
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
  const names = (await listIfPresent(dir)) ?? [];
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
