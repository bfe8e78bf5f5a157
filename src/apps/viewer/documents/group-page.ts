/**
 * The page of a prompt group: the prompt once, every sample as a strip on one scale, and where the samples diverge.
 *
 * @module
 */
import {
  contextColumn,
  figureColumn,
  makeTable,
  type Table,
  textColumn,
} from "../../../render/document/index.ts";
import { pageTable } from "../../../render/page/index.ts";
import {
  formatCount,
  formatCounted,
  formatNumber,
  formatPlain,
  formatProbability,
  formatSigned,
} from "../../../render/text/display/index.ts";
import { oneLine, printable } from "../../../render/text/index.ts";
import type { GroupPage, GroupSample, PageRow, PageTable } from "../../../results/page.ts";
import { decodeBriefs, type SequenceBrief, sparkLevel, sparkRange } from "../../../results/wire/briefs.ts";
import { decodeSequence, type WireSequence } from "../../../results/wire/sequence.ts";
import { textBetween } from "../../../results/wire/sequence-text.ts";
import type { PreparedRun } from "../prepare/cache/prepared-run.ts";
import { branchPoints, sharedStart } from "./shared-starts.ts";

/** Parts of the longest sample's strip; shorter samples have proportionally fewer. */
const STRIP_BINS = 160;
/** The most characters of a prompt and of the common start; the sequences' pages have the rest. */
const MOST_CHARACTERS = 20_000;
const TITLE_CHARACTERS = 60;
/** Candidate tokens per sample, and listed events. */
const EVENTS_OF_SAMPLE = 5;
const MOST_EVENTS = 24;
const FIRST_EVENTS = 6;
const CONTEXT = 6;

/** What is kept about a sample while the others are read. */
interface Sample {
  readonly brief: SequenceBrief;
  readonly wire: Pick<WireSequence, "meta">;
  readonly ids: Int32Array;
  readonly figures: Figures;
  readonly tokens: number;
  readonly deltas: Float32Array;
  readonly events: readonly Event[];
}

interface Figures {
  readonly advantage: number;
  readonly mean: number;
  readonly worst: number;
}

/** A token with a large |Δ|. */
interface Event {
  readonly sample: number;
  readonly handle: string;
  readonly token: number;
  readonly delta: number;
  readonly rollout: number;
  readonly trainer: number;
  /** Equal for tokens with the same id after the same two ids. */
  readonly key: string;
  readonly context: readonly [before: string, token: string, after: string] | null;
  readonly id: number;
}

/** JSON of a {@link GroupPage}; undefined without such a sequence. */
export async function groupPage(run: PreparedRun, index: number): Promise<Uint8Array | undefined> {
  const members = await run.members(index);
  if (members === undefined) return undefined;
  return Buffer.from(JSON.stringify(await layOut(run, Array.from(members))));
}

async function layOut(run: PreparedRun, members: readonly number[]): Promise<GroupPage> {
  const briefs = decodeBriefs((await run.briefs(members))!);
  const samples: Sample[] = [];
  let prompt: string | null = null;
  let promptIds: Int32Array | undefined;
  let promptsDiffer = false;
  let first: WireSequence | undefined;
  // One at a time: only their ids and Δ are kept in memory.
  for (const [at, member] of members.entries()) {
    const wire = decodeSequence((await run.sequence(member))!);
    first ??= wire;
    const own = wire.ids.subarray(0, wire.meta.promptLength);
    promptIds ??= own;
    promptsDiffer ||= own.length !== promptIds.length || own.some((id, place) => id !== promptIds![place]);
    prompt ??= readPrompt(wire, run);
    samples.push(readSample(wire, briefs[at]!, run));
  }
  const shared = sharedStart(samples.map(({ ids }) => ids));
  const branches = branchPoints(samples.map(({ ids }) => ids));
  const longest = Math.max(1, ...samples.map(({ tokens }) => tokens));
  const { meta } = first!;
  return {
    first: members[0]!,
    group: meta.group,
    step: meta.step,
    title: nameGroup(meta, briefs[0]!.prompt),
    prompt,
    prompt_tokens: meta.promptLength,
    outcome: sayOutcome(samples.map(({ wire }) => wire.meta)),
    prompts_differ: promptsDiffer,
    shared: {
      tokens: shared,
      text:
        shared === 0 || !run.info.has.texts
          ? null
          : cut(textBetween(first!, meta.promptLength, meta.promptLength + shared)),
    },
    longest,
    samples: samples.map((sample, at) => toSample(sample, branches[at]!, longest)).sort(byReward),
    events: eventTable(samples),
  };
}

/** By the first words of the question, since an id is often a UUID. */
function nameGroup({ group, step }: WireSequence["meta"], question: string): string {
  const characters = [...question];
  const begin = characters.slice(0, TITLE_CHARACTERS).join("").trim();
  const id = group === null ? "One sequence without a group" : `Group ${printable(group)}`;
  const name = begin === "" ? id : `“${begin}${characters.length > TITLE_CHARACTERS ? "…" : ""}”`;
  return step === null ? name : `${name} · step ${step}`;
}

/** Without a tokenizer, the first token has the data's own text, or else its id. */
function readPrompt(wire: WireSequence, { info }: PreparedRun): string | null {
  const text = textBetween(wire, 0, wire.meta.promptLength);
  const isKnown =
    info.has.texts ||
    text !== Array.from(wire.ids.subarray(0, wire.meta.promptLength), (id) => `#${id}`).join("");
  return text === "" || !isKnown ? null : cut(text);
}

/** The best reward first, unknown ones last; among equal ones the largest |Δ|. */
function byReward(a: GroupSample, b: GroupSample): number {
  const [x, y] = [a.reward ?? Number.NEGATIVE_INFINITY, b.reward ?? Number.NEGATIVE_INFINITY];
  if (x !== y) return y > x ? 1 : -1;
  return (b.delta_abs_max ?? -1) - (a.delta_abs_max ?? -1) || a.sequence - b.sequence;
}

function readSample(wire: WireSequence, brief: SequenceBrief, { info }: PreparedRun): Sample {
  const { mask, meta } = wire;
  const deltas = Float32Array.from(mask, (own, at) =>
    own === 0 ? Number.NaN : wire.trainer[at]! - wire.rollout[at]!,
  );
  const ids = wire.ids.subarray(meta.promptLength);
  const known = ids.every((id) => id >= 0) ? ids.slice() : new Int32Array(0);
  return {
    ...{ brief, deltas, wire: { meta }, ids: known, tokens: mask.length },
    figures: computeFigures(wire, deltas),
    events: findEvents(wire, deltas, info),
  };
}

function computeFigures({ advantages, mask }: WireSequence, deltas: Float32Array): Figures {
  let [sum, count, worst, advantage, judged] = [0, 0, -1, 0, 0];
  for (const [at, delta] of deltas.entries()) {
    const own = advantages?.[at] ?? Number.NaN;
    if (mask[at] !== 0 && !Number.isNaN(own)) {
      advantage += own;
      judged++;
    }
    if (!Number.isFinite(delta)) continue;
    sum += Math.abs(delta);
    count++;
    if (worst < 0 || Math.abs(delta) > Math.abs(deltas[worst]!)) worst = at;
  }
  return { mean: sum / count, worst, advantage: advantage / judged };
}

function toSample(
  { wire: { meta }, brief, figures, deltas, tokens }: Sample,
  branch: number,
  longest: number,
): GroupSample {
  const bins = Math.max(1, Math.min(tokens, Math.round((STRIP_BINS * tokens) / longest)));
  return {
    sequence: meta.index,
    handle: meta.handle,
    reward: meta.reward,
    correct: meta.correct,
    facts: listFacts(meta, figures, tokens),
    tokens,
    delta_abs_max: figures.worst < 0 ? null : Math.abs(deltas[figures.worst]!),
    worst: figures.worst,
    branch,
    answer: brief.answer === "" ? null : brief.answer,
    strip: Array.from({ length: bins }, (_, bin) => stripLevel(deltas, sparkRange(bin, tokens, bins))),
  };
}

function listFacts(
  { reward, finish }: WireSequence["meta"],
  { advantage, mean }: Figures,
  tokens: number,
): string[] {
  return [
    reward === null ? "" : `reward ${formatPlain(reward)}`,
    Number.isNaN(advantage) ? "" : `advantage ${formatSigned(advantage)}`,
    Number.isNaN(mean) ? "" : `mean |Δ| ${formatNumber(mean)}`,
    formatCounted(tokens, "token"),
    finish === null ? "" : `ended by ${printable(finish)}`,
  ].filter((fact) => fact !== "");
}

/** A group without a spread in its rewards teaches nothing. */
function sayOutcome(metas: readonly WireSequence["meta"][]): string {
  const rewards = metas.flatMap(({ reward }) => reward ?? []);
  const judged = metas.filter(({ correct }) => correct !== null);
  const right = judged.filter(({ correct }) => correct === 1).length;
  const parts = judged.length > 0 ? [`${formatCount(right)} of ${formatCount(judged.length)} right`] : [];
  return [...parts, sayRewards(rewards)].join("; ");
}

function sayRewards(rewards: readonly number[]): string {
  if (rewards.length === 0) return "no rewards are known";
  const [least, most] = [Math.min(...rewards), Math.max(...rewards)];
  if (rewards.length === 1) return `reward ${formatPlain(least)}`;
  return least === most
    ? `all rewards are ${formatPlain(least)}: without a spread the group gives no gradient`
    : `rewards from ${formatPlain(least)} to ${formatPlain(most)}`;
}

/** The level of the largest |Δ|, with its sign; 0 where there is none. */
function stripLevel(deltas: Float32Array, [from, to]: readonly [number, number]): number {
  let worst = Number.NaN;
  for (let at = from; at < to; at++) {
    const delta = deltas[at]!;
    if (Number.isFinite(delta) && !(Math.abs(worst) >= Math.abs(delta))) worst = delta;
  }
  return Number.isNaN(worst) ? 0 : Math.sign(worst || 1) * sparkLevel(Math.abs(worst));
}

/** The sample's largest |Δ|, among those beyond nearly all of the run's (p99.5). */
function findEvents(wire: WireSequence, deltas: Float32Array, { scales, has }: PreparedRun["info"]): Event[] {
  const { meta, ids } = wire;
  const places = [...deltas.keys()].filter((at) => Math.abs(deltas[at]!) >= scales.delta);
  places.sort((a, b) => Math.abs(deltas[b]!) - Math.abs(deltas[a]!));
  return places.slice(0, EVENTS_OF_SAMPLE).map((token): Event => {
    const at = meta.promptLength + token;
    const before = ids.subarray(Math.max(0, at - 2), at);
    const id = ids[at]!;
    const text = (from: number, to: number): string =>
      oneLine(textBetween(wire, Math.max(0, from), Math.min(ids.length, to)));
    return {
      ...{ sample: meta.index, handle: `${meta.handle}.t${token}`, token, id, delta: deltas[token]! },
      rollout: wire.rollout[token]!,
      trainer: wire.trainer[token]!,
      key: id < 0 ? `${meta.index} ${token}` : [...before, id].join(" "),
      context: has.texts ? [text(at - CONTEXT, at), text(at, at + 1), text(at + 1, at + 1 + CONTEXT)] : null,
    };
  });
}

/** Equal events are one row, with their number. */
function eventTable(samples: readonly Sample[]): PageTable | null {
  const kinds = mergeEvents(samples);
  if (kinds.length === 0) return null;
  const worst = kinds.map(([event]) => event!);
  return pageTable({
    ...layOutEvents(kinds, samples.length),
    raw: () => kinds.map(exportEvents),
    links: worst.map(({ sample, token }) => ({ view: "sequence", sequence: sample, token })),
    first: FIRST_EVENTS,
  });
}

/** Equal events together, the largest |Δ| first, within each and among them. */
function mergeEvents(samples: readonly Sample[]): Event[][] {
  const merged = new Map<string, Event[]>();
  for (const event of samples.flatMap(({ events }) => events))
    merged.set(event.key, [...(merged.get(event.key) ?? []), event]);
  const size = ({ delta }: Event): number => Math.abs(delta);
  return [...merged.values()]
    .map((events) => events.sort((a, b) => size(b) - size(a)))
    .sort(([a], [b]) => size(b!) - size(a!))
    .slice(0, MOST_EVENTS);
}

function layOutEvents(kinds: readonly (readonly Event[])[], samples: number): Table {
  const worst = kinds.map(([event]) => event!);
  const probability = (logprob: number): string => formatProbability(Math.exp(logprob));
  return makeTable("group-events", "Worst events", [
    textColumn(
      "token",
      worst.map(({ handle }) => handle),
    ),
    textColumn(
      "times",
      kinds.map(({ length }) => `× ${formatCount(length)}`),
      { align: "right" },
    ),
    textColumn(
      "samples",
      kinds.map((events) => `${new Set(events.map(({ sample }) => sample)).size} of ${samples}`),
      { align: "right" },
    ),
    figureColumn(
      "Δ",
      "signed",
      worst.map(({ delta }) => delta),
    ),
    textColumn(
      "least Δ",
      kinds.map((events) => (events.length > 1 ? formatSigned(events.at(-1)!.delta) : "")),
      {
        align: "right",
      },
    ),
    textColumn(
      "p rollout",
      worst.map(({ rollout }) => probability(rollout)),
      { align: "right" },
    ),
    textColumn(
      "p trainer",
      worst.map(({ trainer }) => probability(trainer)),
      { align: "right" },
    ),
    ...(worst.every(({ context }) => context === null)
      ? []
      : [
          contextColumn(
            "in its text",
            worst.map(({ context }) => context),
          ),
        ]),
  ]);
}

/** Equal events, the largest first, with all digits. */
function exportEvents(events: readonly Event[]): PageRow {
  return {
    token: events[0]!.handle,
    token_id: events[0]!.id,
    times: events.length,
    samples: new Set(events.map(({ sample }) => sample)).size,
    delta: events[0]!.delta,
    least_delta: events.at(-1)!.delta,
    rollout_logprob: events[0]!.rollout,
    trainer_logprob: events[0]!.trainer,
  };
}

function cut(text: string): string {
  const characters = text.length > MOST_CHARACTERS ? [...text.slice(0, MOST_CHARACTERS), "…"].join("") : text;
  return characters.trim();
}
