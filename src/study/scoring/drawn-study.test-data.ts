/** Scored studies with random numbers, in the form in which `logratio score` leaves them on disk, for tests. */
import { join } from "node:path";
import type { TopK } from "../../core/schema/record.ts";
import { computeKey } from "./keyed-text.ts";
import { paths, writeManifest } from "./store/manifest.ts";
import { type ScoreRow, writeScores } from "./store/scores-file.ts";
import { writeTexts } from "./store/texts-file.ts";
import type { PreparedText } from "./texts/prepare-text.ts";

/** Policies out of training order: the last checkpoint is neither the last name nor the last one scored. */
export const POLICIES = {
  ref: { role: "reference", step: null },
  rl_30: { role: "checkpoint", step: 30 },
  rl_10: { role: "checkpoint", step: 10 },
  sft: { role: "baseline", step: null },
} as const;

type Name = keyof typeof POLICIES;

/** The Mulberry32 generator. */
export function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const WORDS = ["2", " +", " 3", " =", "5", "7", " so", " the", ".", " x", "\n"];

export interface DrawnText {
  readonly text: PreparedText;
  readonly rows: ReadonlyMap<Name, ScoreRow>;
}

/** Texts for problems with one to three texts each. Some have no scores under a checkpoint, some an infinite KL. */
export function drawTexts(count: number, random: () => number): DrawnText[] {
  let problem = 0;
  return Array.from({ length: count }, (_, i) => {
    if (random() < 0.6) problem++;
    const length = 3 + Math.floor(30 * random());
    const words = Array.from({ length }, () => Math.floor(WORDS.length * random()));
    const correct = [true, false, false, undefined][Math.floor(4 * random())];
    const text: PreparedText = {
      id: `t${i}`,
      problem: `p${problem}`,
      source: random() < 0.7 ? "ref" : "other",
      promptText: `Problem ${problem}`,
      promptLength: 2,
      promptIds: Int32Array.of(problem, 1),
      tokenIds: Int32Array.from(words),
      tokens: words.map((word) => WORDS[word]!),
      mask: Uint8Array.from(words, () => (random() < 0.9 ? 1 : 0)),
      correct,
      level: random() < 0.8 ? 1 + Math.floor(5 * random()) : undefined,
      subject: "sums",
      answer: undefined,
      errorToken: correct === false && random() < 0.7 ? Math.floor(length * random()) : undefined,
      responseText: words.map((word) => WORDS[word]!).join(""),
      idsFrom: "file",
      at: { file: "drawn.jsonl", row: i },
    };
    const names = (Object.keys(POLICIES) as Name[]).filter((name) => name === "ref" || random() < 0.95);
    return { text, rows: new Map(names.map((name) => [name, drawRow(text, name, random)])) };
  });
}

function drawRow(text: PreparedText, name: Name, random: () => number): ScoreRow {
  const { length } = text.tokenIds;
  const floats = (draw: () => number): Float32Array => Float32Array.from({ length }, draw);
  const scale = { ref: 0, sft: 0.02, rl_10: 0.1, rl_30: 0.3 }[name];
  const kl = (): number =>
    random() < 0.005 ? Number.POSITIVE_INFINITY : scale * random() ** (random() < 0.1 ? -0.7 : 4);
  const topK: TopK = {
    k: 2,
    ids: Int32Array.from({ length: 2 * length }, () => Math.floor(11 * random())),
    logprobs: Float32Array.from({ length: 2 * length }, () => -3 * random()),
  };
  const heads = { layers: 2, shares: Float32Array.from({ length: 6 }, random) };
  return {
    text: text.id,
    key: computeKey(text),
    logprobs: floats(() => -5 * random()),
    entropies: floats(() => 2 * random()),
    ranks: Int32Array.from({ length }, () => 1 + Math.floor(4 * random())),
    topK,
    pairs: Object.fromEntries(
      (name === "ref" ? [] : ["ref", ...(name === "rl_30" ? ["rl_10"] : [])]).map((partner) => [
        partner,
        {
          forwardKl: floats(kl),
          reverseKl: floats(kl),
          jsDivergence: floats(random),
          totalVariation: floats(random),
          forwardKlAfterEnd: random(),
          excludedP: random() < 0.05 ? random() / 100 : 0,
          excludedQ: 0,
        },
      ]),
    ),
    attention: {
      error: text.errorToken === undefined ? undefined : { from: text.errorToken, token: text.errorToken },
      toError: floats(random),
      toControl: floats(random),
      heads,
    },
  };
}

/** Writes a study of these texts. A policy without any row has no scores. */
export async function writeDrawnStudy(
  dir: string,
  texts: readonly DrawnText[],
  settings: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const names = Object.keys(POLICIES) as Name[];
  const written = await writeTexts(
    dir,
    texts.map(({ text }) => text),
  );
  for (const name of names) {
    const rows = texts.flatMap((one) => one.rows.get(name) ?? []);
    const partners = Object.keys(rows[0]?.pairs ?? {});
    const layout = { entropies: true, topK: 2, partners, attention: { heads: 3, hiding: [] } };
    if (rows.length > 0) await writeScores(paths.scores(dir, name), layout, rows, name);
  }
  await writeManifest(dir, {
    name: "drawn",
    reference: "ref",
    pairs: [["rl_30", "rl_10"]],
    tokenizer: null,
    texts: written,
    settings,
    policies: Object.fromEntries(
      names.map((name) => [
        name,
        {
          ...POLICIES[name],
          at: `logits:${name}`,
          stage: null,
          gives: "logits",
          facts: {
            backend: "logits",
            location: name,
            model: null,
            vocabularySize: 11,
            logprobs: "raw",
            temperature: 1,
            notes: [`${name} was drawn`],
          },
          fingerprint: name,
          refused: [],
          scored: texts.length,
        },
      ]),
    ),
  } as never);
  return dir;
}

/** Divides texts into this many studies, none empty, some with a single text. */
export function cutTexts(
  texts: readonly DrawnText[],
  pieces: number,
  random: () => number,
): (readonly DrawnText[])[] {
  const edges = new Set<number>();
  while (edges.size < Math.min(pieces, texts.length) - 1)
    edges.add(1 + Math.floor((texts.length - 1) * random()));
  const sorted = [0, ...[...edges].sort((a, b) => a - b), texts.length];
  return sorted.slice(1).map((to, i) => texts.slice(sorted[i], to));
}

/** `one.study`, …: names in alphabetical order. */
export function nameStudy(folder: string, i: number): string {
  return join(folder, `${String(i).padStart(3, "0")}.study`);
}
