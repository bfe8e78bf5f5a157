import { describe, expect, it } from "vitest";
import { formatCorrection } from "../../trainers/neutral/text.ts";
import { findCorrection } from "./build-sweep.ts";
import { defaultGrid, pickMethods } from "./grid.ts";

/** Of each method its bounds, as names have them, and what it does; B stands for the bound or the bounds. */
const METHODS: readonly (readonly [method: string, bounds: string, does: string])[] = [
  ["token-tis", "1.5 2 3 5 8", "weight:token truncate:..B"],
  ["token-clamp", "0.5–2 0.2–5 0.5–1.5 0.8–1.2", "weight:token truncate:B"],
  ["icepop", "0.5–2 0.5–5 0.2–5 0.1–10 0.8–1.2", "weight:token zero:weight:B"],
  ["token-mis", "0.5–2 0.5–5 0.2–5 0.1–10", "weight:token mask:weight:B"],
  ["seq-tis", "2 5 10", "weight:sequence:log=20 truncate:..B"],
  ["seq-mis", "2 3 5", "weight:sequence:log=20 zero:weight:..B"],
  ["turn-tis", "2 5", "weight:turn:log=20 truncate:..B"],
  ["seq-rs", "0.5–2 0.2–5 0.1–10", "mask:sequence.sum.ratio:B"],
  ["geo-rs", "0.99–1.01 0.995–1.005 0.998–1.002 0.999–1.001 0.9995–1.0005", "mask:sequence.mean.ratio:B"],
  [
    "seq-mask-tis",
    "0.99–1.01 0.995–1.005 0.998–1.002 0.999–1.001",
    "weight:token zero:sequence.mean.ratio:B",
  ],
  ["turn-rs", "0.99–1.01 0.995–1.005 0.999–1.001", "mask:turn.mean.ratio:B"],
  ["token-k3", "0.01 0.1 0.5", "mask:token.k3:..B"],
  ["seq-k2", "0.001 0.005 0.02", "mask:sequence.mean.k2:..B"],
  ["seq-k3", "0.001 0.005 0.02", "mask:sequence.mean.k3:..B"],
  ["seq-max-k3", "0.1 0.5 1", "mask:sequence.max.k3:..B"],
  ["veto", "1e-4", "veto:ratio:B.."],
  ["veto", "1e-4–1e4", "veto:ratio:B"],
  ["opsm", "0.0001 0.001 0.01", "zero:sequence.mean.k1:..B:negative"],
  [
    "dppo",
    "0.1 0.2 0.3",
    "weight:token zero:token.prob_diff:..B:positive zero:token.prob_diff:-B..:not-positive",
  ],
  ["ipo", "0.05 0.1", "weight:token zero:token.abs_prob_diff:..B"],
  [
    "dppo-kl",
    "0.05",
    "weight:token zero:token.binary_kl:..B:prob=0.000001:positive:diverging zero:token.binary_kl:..B:prob=0.000001:not-positive:diverging",
  ],
  [
    "kpop",
    "0.1",
    "weight:token zero:token.binary_kl:..B:prob=0.000001 zero:token.binary_kl_reverse:..B:prob=0.000001",
  ],
];

/** Rejections that stand beside a truncation of token weights too. */
const JOINED: readonly (readonly [method: string, bounds: string, upper: number])[] = [
  ["seq-rs", "0.5–2 0.2–5 0.1–10", 2],
  ["geo-rs", "0.99–1.01 0.995–1.005 0.998–1.002 0.999–1.001 0.9995–1.0005", 2],
  ["geo-rs", "0.99–1.01 0.995–1.005 0.998–1.002 0.999–1.001", 5],
  ["seq-k3", "0.001 0.005 0.02", 2],
  ["veto", "1e-4 1e-4–1e4", 2],
];

const write = (does: string, bound: string): string =>
  does.replaceAll("B", bound.split("–").map(Number).join(".."));

describe("the default grid", () => {
  const rows = defaultGrid().map(({ name, methods, correction }) => [
    name,
    methods.join(", "),
    formatCorrection(correction),
  ]);
  const alone = METHODS.flatMap(([method, bounds, does]) =>
    bounds.split(" ").map((bound) => [`${method} ${bound}`, method, write(does, bound)]),
  );

  it("does in each row what the row's name says", () => {
    const joined = JOINED.flatMap(([method, bounds, upper]) =>
      bounds.split(" ").map((bound) => {
        const [, , does] = alone.find(([name]) => name === `${method} ${bound}`)!;
        return [
          `${method} ${bound} + token-tis ${upper}`,
          `${method}, token-tis`,
          `weight:token truncate:..${upper} ${does}`,
        ];
      }),
    );
    const others = [
      ["none", "none", "none"],
      ["token-is", "token-is", "weight:token"],
    ];
    expect([...rows].sort()).toEqual([...others, ...alone, ...joined].sort());
    expect(rows[0]![0]).toBe("none");
  });

  it("is narrowed to the methods that are named, with the baseline", () => {
    const names = (...methods: string[]) => pickMethods(defaultGrid(), methods).map(({ name }) => name);
    expect(names()).toEqual(["none"]);
    expect(names("ipo", "opsm")).toEqual([
      "none",
      "opsm 0.0001",
      "opsm 0.001",
      "opsm 0.01",
      "ipo 0.05",
      "ipo 0.1",
    ]);
    expect(names("veto")).toEqual(["none", "veto 1e-4", "veto 1e-4–1e4"]);
    expect(names("veto", "token-tis")).toHaveLength(1 + 2 + 5 + 2);
  });
});

describe("a correction that is chosen by name", () => {
  it("may be typed with hyphens, without blanks and in capitals", () => {
    for (const name of ["icepop 0.5–5", "icepop 0.5-5", "ICEPOP0.5−5", " icepop  0.5—5 "])
      expect(findCorrection(defaultGrid(), name).name).toBe("icepop 0.5–5");
  });

  it("is refused with those that are like it, else with the first", () => {
    const hint = (name: string): string => {
      try {
        findCorrection(defaultGrid(), name);
      } catch (error) {
        return (error as { hint: string }).hint;
      }
      return "";
    };
    expect(hint("ipo 7")).toBe("for instance: ipo 0.05, ipo 0.1");
    expect(hint("geo-rs 2")).toMatch(/^for instance: geo-rs 0\.99–1\.01, (geo-rs [^,]*, ){6}geo-rs [^,]*$/);
    expect(hint("else")).toMatch(/^for instance: none, token-is, token-tis 1\.5, /);
  });
});
