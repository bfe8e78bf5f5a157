import { turnOfMark } from "../../../../../src/core/kernels/index.ts";
import type { WireSequence } from "../../../../../src/results/wire/sequence.ts";

/** Consecutive tokens with the same author. Places count from the first prompt token. */
export interface TokenRun {
  readonly kind: "prompt" | "turn" | "tool";
  /** Index among the runs, which identifies it in addresses. */
  readonly index: number;
  /** Number of the turn, from 0; undefined for other runs. */
  readonly turn: number | undefined;
  readonly from: number;
  readonly to: number;
}

/** What is under one heading: a prompt, a turn with short tool output after it, or longer tool output alone. */
export interface Section {
  readonly head: TokenRun;
  readonly blocks: readonly Block[];
}

/** Tokens that flow as one text or fold together. */
export interface Block {
  readonly from: number;
  readonly to: number;
  /** The run that can be folded. */
  readonly fold: TokenRun | undefined;
}

const FOLDED_TOOL = 64;
const FOLDED_PROMPT = 512;

export function splitRuns({
  meta: { promptLength },
  mask,
  turnMarks,
}: Pick<WireSequence, "mask" | "turnMarks"> & { meta: { promptLength: number } }): readonly TokenRun[] {
  const runs: TokenRun[] = [];
  const add = (kind: TokenRun["kind"], turn: number | undefined, from: number, to: number): void => {
    runs.push({ kind, turn, index: runs.length, from, to });
  };
  if (promptLength > 0) add("prompt", undefined, 0, promptLength);
  let turn = -1;
  for (let from = 0; from < mask.length; ) {
    const trained = mask[from] !== 0;
    let to = from + 1;
    while (
      to < mask.length &&
      (mask[to] !== 0) === trained &&
      (!trained || turnMarks[to] === turnMarks[from])
    )
      to++;
    if (trained) turn = turnOfMark(turnMarks[from]!) ?? turn + 1;
    add(trained ? "turn" : "tool", trained ? turn : undefined, promptLength + from, promptLength + to);
    from = to;
  }
  return runs;
}

function isFoldable({ kind, from, to }: TokenRun): boolean {
  return kind === "prompt" || (kind === "tool" && to - from > FOLDED_TOOL);
}

/** Whether a run is folded by default. */
export function foldedAtFirst(run: TokenRun): boolean {
  return isFoldable(run) && (run.kind === "tool" || run.to - run.from > FOLDED_PROMPT);
}

export function groupSections(runs: readonly TokenRun[]): readonly Section[] {
  const sections: { head: TokenRun; blocks: Block[] }[] = [];
  for (const run of runs) {
    const last = sections.at(-1);
    const block: Block = { from: run.from, to: run.to, fold: isFoldable(run) ? run : undefined };
    if (last === undefined || last.head.kind !== "turn" || run.kind !== "tool") {
      sections.push({ head: run, blocks: [block] });
      continue;
    }
    const before = last.blocks.at(-1);
    if (before !== undefined && before.fold === undefined && block.fold === undefined)
      last.blocks[last.blocks.length - 1] = { ...before, to: run.to };
    else last.blocks.push(block);
  }
  return sections;
}

/** `toggled=0_3`: the runs whose folding differs from the default. Addresses encode commas but not underscores. */
export function parsePlaces(text: string): ReadonlySet<number> {
  return new Set(
    text
      .split(/[_,]/)
      .filter((part) => /^\d+$/.test(part))
      .map(Number),
  );
}

export function toggledWith(toggled: ReadonlySet<number>, run: number): string | undefined {
  const next = new Set(toggled);
  if (!next.delete(run)) next.add(run);
  return next.size === 0 ? undefined : [...next].sort((a, b) => a - b).join("_");
}
