import { describe, expect, it } from "vitest";
import { displayWidth } from "../../render/terminal/columns.ts";
import { makeSurface } from "../../render/terminal/surface.ts";
import { foldStrip, largestKl, markedSpikes, type StripPart, stripParts } from "./case-strip.ts";
import { heatLines } from "./heat-map-lines.ts";
import { CHECKPOINTS } from "./sample.test-data.ts";
import { sampleCases } from "./sample-cases.test-data.ts";
import { drawStrip } from "./terminal-strip.ts";

const NAMES = CHECKPOINTS.slice(1);
const LAST = "rlvr_step_1000";
const [short, long] = sampleCases(NAMES) as [
  ReturnType<typeof sampleCases>[number],
  ReturnType<typeof sampleCases>[number],
];

/** Every token of the parts, once, in order. */
function positions(parts: readonly StripPart[]): number[] {
  return parts.flatMap((part) =>
    part.kind === "token"
      ? [part.position]
      : Array.from({ length: part.to - part.from }, (_, at) => part.from + at),
  );
}

describe("stripParts", () => {
  it("holds every token once, in order, folded or not", () => {
    for (const study of [short, long]) {
      const every = study.tokens.map((_, at) => at);
      const parts = stripParts(study, LAST);
      expect(positions(parts)).toEqual(every);
      expect(positions(foldStrip(parts, 20, 4))).toEqual(every);
    }
  });

  it("keeps tool output and missing scores out of the scale", () => {
    const kl = short.kl.map((row) => row.map((value, at) => (short.mask[at] === 0 ? 99 : value)));
    expect(largestKl({ ...short, kl })).toBe(largestKl(short));
    const parts = stripParts({ ...short, kl }, LAST);
    expect(parts.filter(({ kind }) => kind === "tool")).toHaveLength(1);
    const missing = stripParts(
      { ...short, spikes: [], error_token: null, kl: short.kl.map((row) => row.map(() => null)) },
      LAST,
    );
    expect(new Set(missing.map(({ kind }) => kind))).toEqual(new Set(["tool", "unknown"]));
  });

  it("marks spikes with letters and the error, and keeps both when folding", () => {
    const parts = foldStrip(stripParts(short, LAST), 20, 3);
    const tokens = parts.flatMap((part) => (part.kind === "token" ? [part] : []));
    expect(tokens.filter(({ spike }) => spike !== null).map(({ spike }) => spike?.mark)).toEqual([
      "a",
      "b",
      "c",
    ]);
    expect(tokens.filter(({ error }) => error).map(({ text }) => text)).toEqual(["12"]);
    expect(parts.some(({ kind }) => kind === "gap")).toBe(true);
    const many = markedSpikes({ ...short, spikes: Array.from({ length: 30 }, () => short.spikes[0]!) });
    expect(many.map(({ mark }) => mark).slice(25, 28)).toEqual(["z", "aa", "ab"]);
  });

  it("falls back to the last row where the case lacks the last checkpoint", () => {
    const [first] = stripParts(short, "elsewhere");
    expect(first).toMatchObject({ kind: "token", kl: short.kl.at(-1)![0] });
  });
});

describe("drawStrip", () => {
  const parts = stripParts(short, LAST);

  it.each([8, 20, 56, 120])("keeps to %i columns and loses no character", (width) => {
    const surface = makeSurface({ width, color: false, unicode: true });
    const lines = drawStrip(parts, width, surface);
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
    expect(lines.join("").replaceAll(/⟦[a-z]*!?:|⟧|‹tool: |›|⏎|\\t/g, "")).toBe(
      short.tokens.join("").replaceAll(/[\n\t]/g, ""),
    );
  });

  it("says in ASCII and without color what is a spike, an error, tool output", () => {
    const surface = makeSurface({ width: 80, color: false, unicode: false });
    const text = drawStrip(parts, 80, surface).join("\n");
    expect(text).toMatch(/^[\x20-\x7e\n]*$/);
    expect(text).toContain("[[a!:12]]");
    expect(text).toContain("[[b:Wait]]");
    expect(text).toContain("<<tool: <out>170</out>>>");
  });

  it("colors by level, spikes most", () => {
    const surface = makeSurface({ width: 80, color: true, unicode: true });
    const text = drawStrip(parts, 80, surface).join("\n");
    expect(text).toContain("\u001b[1;37;41m⟦b:Wait⟧\u001b[0m");
    expect(text).toContain("\u001b[33m");
    expect(text).toContain("\u001b[2m‹tool:");
  });
});

describe("heatLines", () => {
  it("draws every token of a short text and the marked lines of a long one", () => {
    const drawn = heatLines(short);
    expect(drawn.every(({ kind }) => kind === "line")).toBe(true);
    const lines = heatLines(long);
    const spike = long.spikes[0]!.position;
    const covers = (from: number, to: number) => from <= spike && spike < to;
    expect(
      lines.some((line) => line.kind === "line" && line.columns.some(({ from, to }) => covers(from, to))),
    ).toBe(true);
    let next = 0;
    for (const line of lines) {
      const spans = line.kind === "line" ? line.columns : [line];
      for (const { from, to } of spans) {
        expect(from).toBe(next);
        next = to;
      }
      if (line.kind === "line") expect(line.columns.length).toBeLessThanOrEqual(40);
    }
    expect(next).toBe(long.tokens.length);
  });

  it("makes long tool output one column", () => {
    const tokens = Array.from({ length: 60 }, () => "x");
    const row = tokens.map(() => 0.1);
    const lines = heatLines({
      ...short,
      tokens,
      mask: tokens.map((_, at) => (at < 10 || at >= 50 ? 1 : 0)),
      kl: [row],
      spikes: [],
      error_token: null,
    });
    expect(lines.flatMap((line) => (line.kind === "line" ? line.columns : []))).toHaveLength(21);
  });
});
