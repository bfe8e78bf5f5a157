/**
 * An open cache of a study: answers by reading parts of its files.
 *
 * @module
 */
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { StudyInfo } from "../../../results/view.ts";
import { decodeArrays } from "../../../results/wire/arrays.ts";
import { encodeStudyText, type StudySpike } from "../../../results/wire/study-text.ts";
import { CACHE_FACTS } from "../prepare/cache/cache-files.ts";
import { readPart } from "../prepare/cache/read-part.ts";
import { STUDY_FILES, type StudyFacts } from "./build-study.ts";
import { formatTextHandle, type StoredText } from "./study-text.ts";
import { readValues, type TextValues, type VALUE_ROWS, type ValuesLayout } from "./values-file.ts";

export type StudyAnswerName = "run" | "study" | "texts";

export interface PreparedStudy {
  readonly info: StudyInfo;
  /** The cache's directory. */
  readonly directory: string;
  /** True if nothing had to be analyzed. */
  readonly reused: boolean;
  /** Bytes of JSON: `StudyInfo`, `KlReport`, `StudyTexts`. */
  answer(name: StudyAnswerName): Promise<Uint8Array>;
  /** An encoded `WireStudyText`; undefined without such a text. */
  text(index: number): Promise<Uint8Array | undefined>;
  close(): Promise<void>;
}

/** @throws FormatError when the cache is damaged */
export async function openStudy(
  directory: string,
  { reused }: { readonly reused: boolean },
): Promise<PreparedStudy> {
  const path = (name: string): string => join(directory, name);
  const facts = JSON.parse(await readFile(path(CACHE_FACTS), "utf8")) as StudyFacts;
  const answers: Readonly<Record<StudyAnswerName, Uint8Array>> = {
    run: await readFile(path(STUDY_FILES.run)),
    study: await readFile(path(STUDY_FILES.study)),
    texts: await readFile(path(STUDY_FILES.texts)),
  };
  const info = JSON.parse(Buffer.from(answers.run).toString()) as StudyInfo;
  const { arrays } = decodeArrays(await readFile(path(STUDY_FILES.offsets)));
  const offsets = arrays as Readonly<Record<"tokens" | "spikes" | "text", Float64Array>>;
  const layout: ValuesLayout = { slots: facts.slots, tokenOffsets: offsets.tokens };
  const files = {
    text: await open(path(STUDY_FILES.text)),
    spikes: await open(path(STUDY_FILES.spikes)),
    values: await open(path(STUDY_FILES.values)),
  };
  /** Undefined: the checkpoint has no scores of the text. */
  const readSpikes = async (index: number, slot: number): Promise<readonly StudySpike[] | undefined> => {
    const place = 2 * (index * facts.slots + slot);
    const [from, to] = [offsets.spikes[place]!, offsets.spikes[place + 1]!];
    if (from === to) return undefined;
    return JSON.parse(Buffer.from(await readPart(files.spikes, from, to - from)).toString()) as StudySpike[];
  };
  return {
    info,
    directory,
    reused,
    answer: async (name) => answers[name],
    async text(index) {
      if (index >= info.texts) return undefined;
      const [from, to] = [offsets.text[index]!, offsets.text[index + 1]!];
      const stored = Buffer.from(await readPart(files.text, from, to - from)).toString();
      const { ids, mask, categories, ...meta } = JSON.parse(stored) as StoredText;
      const spikes = await Promise.all(facts.slotOf.map((slot) => readSpikes(index, slot)));
      const values = await readValues(files.values, layout, index);
      const isScored = spikes.map((found) => found !== undefined);
      const rows = (name: (typeof VALUE_ROWS)[number]): Float32Array =>
        selectRows(values, name, facts.slotOf, isScored, ids.length);
      const hasReference = isScored.includes(true);
      return encodeStudyText({
        meta: {
          ...meta,
          index,
          handle: formatTextHandle(index),
          checkpoints: facts.checkpoints,
          categories: facts.categories,
          spikes: spikes.map((found) => found ?? []),
        },
        ids: Int32Array.from(ids),
        mask: Uint8Array.from(mask),
        categories: Uint16Array.from(categories),
        kl: rows("kl"),
        delta: rows("delta"),
        entropy: rows("entropy"),
        referenceLogprob: hasReference ? values.referenceLogprob : missing(ids.length),
        referenceEntropy: hasReference ? values.referenceEntropy : missing(ids.length),
      });
    },
    async close() {
      await Promise.all(Object.values(files).map((file) => file.close()));
    },
  };
}

function selectRows(
  values: TextValues,
  name: (typeof VALUE_ROWS)[number],
  slots: readonly number[],
  isScored: readonly boolean[],
  tokens: number,
): Float32Array {
  const rows = missing(slots.length * tokens);
  slots.forEach((slot, at) => {
    if (isScored[at]) rows.set(values.row(slot, name), at * tokens);
  });
  return rows;
}

function missing(length: number): Float32Array {
  return new Float32Array(length).fill(Number.NaN);
}
