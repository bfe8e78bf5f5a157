/**
 * The page of starred places: the text around each, what both policies would have said, a picture.
 *
 * @module
 */
import { mergeAlternatives } from "../../../analyses/show/index.ts";
import { orNull } from "../../../core/base/index.ts";
import { formatHandle, readHandle } from "../../../core/schema/index.ts";
import { lineChart } from "../../../render/charts/index.ts";
import {
  formatNumber,
  formatPlain,
  formatProbability,
  formatSigned,
} from "../../../render/text/display/index.ts";
import { oneLine, printable } from "../../../render/text/index.ts";
import type { ShowAlternatives, ShowShare } from "../../../results/show.ts";
import type {
  Star,
  StoryCandidate,
  StoryEntry,
  StoryPage,
  StoryPiece,
  StoryRow,
} from "../../../results/story.ts";
import { decodeBriefs } from "../../../results/wire/briefs.ts";
import { decodeSequence, decodeTopK, type WireSequence } from "../../../results/wire/sequence.ts";
import { textBetween } from "../../../results/wire/sequence-text.ts";
import { decodeTable, type SequenceTable } from "../../../results/wire/table.ts";
import type { PreparedRun } from "../prepare/cache/prepared-run.ts";

/** Tokens that are shown before the starred one and after it. */
const BEFORE = 32;
const AFTER = 20;
const MOST_CANDIDATES = 6;

export async function storyPage(run: PreparedRun): Promise<StoryPage> {
  const { stars } = await run.stars();
  if (stars.length === 0) return { entries: [] };
  const table = decodeTable(await run.answer("sequences"));
  const places = findRows(table, new Set(stars.map(({ handle }) => splitHandle(handle).sequence)));
  const entries: StoryEntry[] = [];
  // One after the other: a sequence may be long.
  for (const star of stars) entries.push(await layOut(run, star, table, places));
  return { entries };
}

/** A story in a bundle without texts keeps the places, but leaves out the notes. */
export function withoutNotes<T extends Star & { readonly row?: StoryRow }>(
  stars: readonly T[],
): readonly T[] {
  return stars.map((star) => ({ ...star, note: "", ...(star.row && { row: { ...star.row, note: "" } }) }));
}

function splitHandle(handle: string): { readonly sequence: string; readonly token: number | undefined } {
  const { token, ...sequence } = readHandle(handle)!;
  return { sequence: formatHandle(sequence), token };
}

/** Of rows with the same handle the first, as for links. */
function findRows(
  { columns, length }: SequenceTable,
  wanted: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (let row = 0; row < length; row++) {
    const known = (value: number | undefined): number => value ?? Number.NaN;
    const handle = formatHandle({
      step: known(columns.step[row]),
      rank: known(columns.rank[row]),
      sequence: known(columns.row[row]),
    });
    if (wanted.has(handle) && !found.has(handle)) found.set(handle, row);
  }
  return found;
}

async function layOut(
  run: PreparedRun,
  star: Star,
  table: SequenceTable,
  places: ReadonlyMap<string, number>,
): Promise<StoryEntry> {
  const { sequence: name, token: starred } = splitHandle(star.handle);
  const index = places.get(name);
  const wire = index === undefined ? undefined : decodeSequence((await run.sequence(index))!);
  // Below 0 if none of its tokens has a Δ.
  const worst = index === undefined ? -1 : table.columns.worst_token[index]!;
  const token = starred ?? (worst >= 0 ? worst : null);
  const isThere = wire !== undefined && (token === null || token < wire.mask.length);
  if (!isThere || index === undefined) return absent(star);
  const [brief] = decodeBriefs((await run.briefs([index]))!);
  const alternatives = token === null ? null : await readAlternatives(run, index, token, wire);
  return {
    ...star,
    sequence: index,
    token,
    facts: listFacts(wire, token, starred === undefined),
    prompt: brief?.prompt ? printable(brief.prompt) : null,
    strip: token === null ? [] : cutStrip(wire, token),
    picture: drawPicture(wire, token),
    alternatives: alternatives && listCandidates(alternatives),
    row: toRow(star, wire, token, alternatives),
  };
}

function absent(star: Star): StoryEntry {
  const nothing = {
    sequence: null,
    token: null,
    facts: [],
    prompt: null,
    strip: [],
    picture: null,
    alternatives: null,
  };
  return { ...star, ...nothing, row: toRow(star, undefined, null, null) };
}

async function readAlternatives(
  run: PreparedRun,
  index: number,
  token: number,
  wire: WireSequence,
): Promise<ShowAlternatives | null> {
  const { from, count, policies, texts } = decodeTopK((await run.topK(index, token, 1))!);
  if (token < from || token >= from + count) return null;
  const sampled = {
    id: wire.ids[wire.meta.promptLength + token]!,
    text: textAt(wire, wire.meta.promptLength + token),
    rollout: wire.rollout[token]!,
    trainer: wire.trainer[token]!,
  };
  return mergeAlternatives(policies, token - from, sampled, (id) => texts.get(id) ?? null);
}

function listCandidates({ candidates }: ShowAlternatives): StoryCandidate[] {
  const say = (share: ShowShare | null): string =>
    share === null ? "–" : `${share.at_most ? "≤ " : ""}${formatProbability(share.probability)}`;
  const first = candidates.slice(0, MOST_CANDIDATES);
  const sampled = candidates.find((one) => one.sampled);
  return [...first, ...(sampled === undefined || first.includes(sampled) ? [] : [sampled])].map(
    ({ id, text, sampled: isSampled, rollout, trainer }) => ({
      text: printable(text ?? `#${id}`),
      sampled: isSampled,
      rollout: say(rollout),
      trainer: say(trainer),
    }),
  );
}

function textAt(wire: WireSequence, place: number): string {
  return textBetween(wire, place, place + 1);
}

function deltaAt({ mask, rollout, trainer }: WireSequence, token: number): number {
  return mask[token] === 1 ? trainer[token]! - rollout[token]! : Number.NaN;
}

function cutStrip(wire: WireSequence, token: number): StoryPiece[] {
  const { meta, ids, mask } = wire;
  const at = meta.promptLength + token;
  const [from, to] = [Math.max(0, at - BEFORE), Math.min(ids.length, at + AFTER + 1)];
  return Array.from({ length: to - from }, (_, offset): StoryPiece => {
    const place = from + offset;
    const own = place - meta.promptLength;
    return {
      text: oneLine(textAt(wire, place)),
      delta: own < 0 ? null : orNull(deltaAt(wire, own)),
      kind: own < 0 ? "prompt" : mask[own] === 1 ? "own" : "tool",
      isShown: place === at,
    };
  });
}

function drawPicture(wire: WireSequence, token: number | null): string | null {
  const values = Array.from(wire.mask, (_, at) => orNull(Math.abs(deltaAt(wire, at))));
  if (values.every((value) => value === null)) return null;
  return lineChart(
    {
      id: "story",
      title: "|Δ| along the response",
      unit: "nats",
      xLabel: "token",
      xs: values.map((_, at) => at),
      lines: [{ label: "|Δ|", color: "blue", values }],
      scale: "linear",
      kind: "number",
      fromZero: true,
      extreme: "most",
      ...(token !== null && { marks: [{ x: token, label: `token ${token}` }] }),
    },
    { width: 560, height: 190 },
  );
}

function listFacts(
  wire: WireSequence,
  token: number | null,
  isSequence: boolean,
): (readonly [string, string])[] {
  const { meta, advantages } = wire;
  const facts: readonly (readonly [string, string | null])[] = [
    ["step", meta.step === null ? null : String(meta.step)],
    ["answer", meta.correct === null ? null : meta.correct === 1 ? "right" : "wrong"],
    ["reward", meta.reward === null ? null : formatPlain(meta.reward)],
    ...(token === null
      ? []
      : ([
          ["advantage", advantages === undefined ? null : formatPlain(advantages[token])],
          [isSequence ? `largest |Δ|, token ${token}` : "Δ", `${formatSigned(deltaAt(wire, token))} nats`],
          ["p rollout", formatProbability(Math.exp(wire.rollout[token]!))],
          ["p trainer", formatProbability(Math.exp(wire.trainer[token]!))],
          ["ρ", formatNumber(Math.exp(deltaAt(wire, token)))],
        ] as const)),
  ];
  return facts.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}

function toRow(
  star: Star,
  wire: WireSequence | undefined,
  token: number | null,
  alternatives: ShowAlternatives | null,
): StoryRow {
  const at = (values: ArrayLike<number> | undefined): number | null =>
    token === null || values === undefined ? null : orNull(values[token]!);
  const place = wire === undefined || token === null ? undefined : wire.meta.promptLength + token;
  const listed = (policy: "rollout" | "trainer"): (readonly [string, number])[] =>
    (alternatives?.candidates ?? [])
      .flatMap(({ id, text, [policy]: share }) =>
        share === null || share.at_most ? [] : [[text ?? `#${id}`, share.probability] as const],
      )
      .sort((a, b) => b[1] - a[1]);
  return {
    handle: star.handle,
    note: star.note,
    step: wire?.meta.step ?? null,
    correct: wire?.meta.correct ?? null,
    reward: wire?.meta.reward ?? null,
    advantage: at(wire?.advantages),
    token,
    token_id: place === undefined ? null : wire!.ids[place]!,
    token_text: place === undefined ? null : textAt(wire!, place),
    context:
      place === undefined
        ? null
        : textBetween(wire!, Math.max(0, place - BEFORE), Math.min(wire!.ids.length, place + AFTER + 1)),
    rollout_logprob: at(wire?.rollout),
    trainer_logprob: at(wire?.trainer),
    delta: wire === undefined || token === null ? null : orNull(deltaAt(wire, token)),
    rollout_alternatives: listed("rollout"),
    trainer_alternatives: listed("trainer"),
  };
}
