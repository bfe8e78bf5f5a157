import type { WireSequence } from "../../../../../src/results/wire/sequence.ts";
import type { TokenRun } from "./runs.ts";

/** Tags around the thinking that models write before an answer: DeepSeek and Qwen, Mistral, Seed, gpt-oss. */
const TAGS = [
  ["<think>", "</think>"],
  ["<thinking>", "</thinking>"],
  ["[THINK]", "[/THINK]"],
  ["<seed:think>", "</seed:think>"],
  ["<|channel|>analysis<|message|>", "<|end|>"],
] as const;
/** Bytes before a turn in which a chat template may have opened thinking. */
const TEMPLATE_BYTES = 64;

const ascii = new TextDecoder("latin1");

type Texts = Pick<WireSequence, "texts" | "textOffsets" | "mask" | "meta">;

/**
 * Finds the response tokens of thinking, including its tags. Thinking begins in a turn of the policy, or with the turn
 * if the prompt ends with the opening tag, and ends with the closing tag or with the turn. A token that is partly
 * thinking counts as thinking.
 *
 * @returns `[response]`, 1 in thinking; undefined without thinking
 */
export function findThinking(wire: Texts, runs: readonly TokenRun[]): Uint8Array | undefined {
  const prompt = wire.meta.promptLength;
  const thinking = new Uint8Array(wire.mask.length);
  let isAny = false;
  for (const { kind, from, to } of runs) {
    if (kind !== "turn") continue;
    for (const [start, end] of findSpans(wire, from, to)) {
      isAny = true;
      thinking.fill(1, start - prompt, end - prompt);
    }
  }
  return isAny ? thinking : undefined;
}

/** Places `[from, to)` of each span of thinking in a turn. */
function findSpans({ texts, textOffsets }: Texts, from: number, to: number): [number, number][] {
  const start = textOffsets[from]!;
  // One character per byte: tags are ASCII, and offsets in the text equal offsets in the bytes.
  const text = ascii.decode(texts.subarray(start, textOffsets[to]!));
  const before = ascii.decode(texts.subarray(Math.max(0, start - TEMPLATE_BYTES), start)).trimEnd();
  const byTemplate = TAGS.find(([open]) => before.endsWith(open));
  const spans: [number, number][] = [];
  let opened = byTemplate === undefined ? findOpening(text, 0) : { at: 0, closing: byTemplate[1] };
  while (opened !== undefined) {
    const { at, closing } = opened;
    const closed = text.indexOf(closing, at);
    const end = closed < 0 ? text.length : closed + closing.length;
    if (end > at)
      spans.push([
        findPlace(textOffsets, from, start + at),
        findPlace(textOffsets, from, start + end - 1) + 1,
      ]);
    opened = closed < 0 ? undefined : findOpening(text, end);
  }
  return spans;
}

/** The next opening tag from a place on, and its closing tag. */
function findOpening(text: string, from: number): { at: number; closing: string } | undefined {
  let first: { at: number; closing: string } | undefined;
  for (const [open, closing] of TAGS) {
    const at = text.indexOf(open, from);
    if (at >= 0 && (first === undefined || at < first.at)) first = { at, closing };
  }
  return first;
}

/** The token, from `from` on, that contains this byte. */
function findPlace(textOffsets: Uint32Array, from: number, byte: number): number {
  let [low, high] = [from, textOffsets.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (textOffsets[middle]! <= byte) low = middle;
    else high = middle;
  }
  return low;
}
