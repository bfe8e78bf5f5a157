import { describe, expect, it } from "vitest";
import type { BesideFinding } from "../../results/beside.ts";
import { drawSections } from "../terminal/document.ts";
import { makeSurface } from "../terminal/surface.ts";
import { besideSection, sayBeside } from "./beside.ts";

const ENTROPY: BesideFinding = {
  ...{ id: "entropy", run: "", title: "Entropy has collapsed", level: "bad", outcome: "lasts" },
  short: "entropy fell from 0.52 to 0.009, most of it at step 78",
  sentence: "Entropy fell from 0.52 to 0.009, most of it at step 78: little is left.",
  ...{ since_step: 78, figures: { start: 0.52, end: 0.009 }, read_from: ["dump"] },
  ...{ do_this: "raise the upper clip bound alone", source: "arXiv 2503.14476" },
};
const FLAT: BesideFinding = { ...ENTROPY, id: "flat_groups", short: "81 % of the groups are flat" };
const SPIKES: BesideFinding = {
  ...{ ...ENTROPY, id: "gradient_spikes", level: "warn", title: "Spikes of the gradient", run: "b" },
  ...{ short: "5 spikes", read_from: ["grad_norm"] },
};
const surface = makeSurface({ width: 80, color: false, unicode: true });

describe("what is beside the mismatch", () => {
  it("is one line: what is bad, then how much more there is", () => {
    expect(sayBeside([ENTROPY, SPIKES])).toBe(`${ENTROPY.short}; 1 more`);
    expect(sayBeside([SPIKES])).toBe("5 spikes (b)");
    expect(sayBeside([ENTROPY, FLAT])).toBe(`${ENTROPY.short}; ${FLAT.short}`);
    expect(sayBeside([])).toBeUndefined();
  });

  it("does not repeat what stands above it", () => {
    expect(sayBeside([ENTROPY, SPIKES], `The mismatch is not it: ${ENTROPY.short}`)).toBe("5 spikes (b)");
    expect(sayBeside([ENTROPY], ENTROPY.short)).toBeUndefined();
  });

  it("has for each finding what to do, what it was read from, and the source", () => {
    const text = drawSections([besideSection([ENTROPY, SPIKES])], surface).join("\n");
    expect(text).toContain("Beside the mismatch\n▲ bad  Entropy has collapsed\n  Entropy fell");
    expect(text).toMatch(/do this {4}raise the upper clip bound alone/);
    expect(text).toMatch(/read from {2}the answers of the dump/);
    expect(text).toMatch(/△ warning {2}Spikes of the gradient \(b\)/);
    expect(text).toMatch(/source {5}arXiv 2503\.14476/);
    expect(drawSections([besideSection([])], surface)).toEqual([]);
  });
});
