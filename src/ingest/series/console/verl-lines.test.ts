import { describe, expect, it } from "vitest";
import { cleanLines } from "./clean-lines.ts";
import { readValue, readVerlLines, type VerlLines } from "./verl-lines.ts";

const LINE =
  "(TaskRunner pid=87031) step:83 - global_seqlen/min:340538.000 - actor/lr:1e-06 - actor/entropy_loss:0.317 - actor/kl_loss:-0.024 - training/rollout_probs_diff_mean:0.002 - training/rollout_probs_diff_max:0.512 - actor/grad_norm:nan - response_length/mean:330.437 - timing_s/gen:29.641";

const readLines = (text: string): VerlLines => readVerlLines(cleanLines(text));

function read(text: string): { values: Map<string, number | undefined>; left: number } {
  const { entries, strays } = readLines(text);
  const parts = entries.flatMap((entry) => entry.parts);
  const values = parts.map((part) => [part.slice(0, part.lastIndexOf(":")), readValue(part)] as const);
  return {
    values: new Map(values),
    left: entries.filter(({ cut }) => cut !== undefined).length + strays.length,
  };
}

const TRUTH = read(LINE).values;

/** Names whose value differs from the whole line's, or that it does not have. */
function wrong(values: ReadonlyMap<string, number | undefined>): string[] {
  return [...values].flatMap(([name, value]) =>
    Object.is(TRUTH.get(name), value) ? [] : `${name}:${value}`,
  );
}

function wrap(width: number, trim: boolean): string {
  const pieces: string[] = [];
  for (let at = 0; at < LINE.length; at += width) pieces.push(LINE.slice(at, at + width));
  return pieces.map((piece) => (trim ? piece.trim() : piece)).join("\n");
}

describe("console lines that a terminal broke", () => {
  it("are joined at any width, or a metric is named as cut; no value is another one", () => {
    const bad: unknown[] = [];
    for (let width = 45; width < LINE.length; width++)
      for (const trim of [false, true]) {
        const { values, left } = read(`${wrap(width, trim)}\nTraining Progress: 3%|   | 3/100\n`);
        const missing = TRUTH.size - values.size;
        if (wrong(values).length > 0 || (missing > 0 && left === 0) || missing > 1)
          bad.push([width, trim, wrong(values), missing, left]);
      }
    expect(bad).toEqual([]);
  });

  it("once, at any place", () => {
    const bad: unknown[] = [];
    for (let at = LINE.indexOf("step:"); at < LINE.length; at++) {
      const { values, left } = read(`${LINE.slice(0, at)}\n${LINE.slice(at)}\nINFO done\n`);
      const missing = TRUTH.size - values.size;
      if (wrong(values).length > 0 || (missing > 0 && left === 0))
        bad.push([at, wrong(values), missing, left]);
    }
    expect(bad).toEqual([]);
  });

  it("go on with a separator, after which another step begins", () => {
    const text = "step:1 - a/b:0.5 - a/c:1\n - a/d:2 - a/e:3\nepoch 1 done\nstep:2 - a/b:0.25\n";
    expect(readLines(text)).toEqual({
      entries: [
        { step: 1, parts: ["a/b:0.5", "a/c:1", "a/d:2", "a/e:3"], line: 1, joined: 1, cut: undefined },
        { step: 2, parts: ["a/b:0.25"], line: 4, joined: 0, cut: undefined },
      ],
      strays: [],
    });
  });

  it("whose step is cut off, or whose last number is, are named", () => {
    expect(readLines("a/b:1 - a/c:2 - a/d:3\n").strays).toEqual([1]);
    const [entry] = readLines("step:1 - a/b:0.5 - a/c:1e-\n[INFO] other words\n").entries;
    expect([entry!.parts, entry!.cut]).toEqual([["a/b:0.5"], "a/c"]);
    const [other] = readLines("step:1 - a/b:0.5 - a/c:0.00\n2\n").entries;
    expect([other!.parts, other!.cut]).toEqual([["a/b:0.5"], "a/c"]);
  });
});
