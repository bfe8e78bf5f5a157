import { describe, expect, it } from "vitest";
import { figureColumn, makeTable, textColumn } from "../document/table.ts";
import { makeSurface } from "./surface.ts";
import { drawTable } from "./table.ts";

const wide = makeTable("environments", "By environment", [
  textColumn("name", ["数学", "code"]),
  figureColumn("tokens", "count", [1200, 7], { priority: 4 }),
  figureColumn("mean |Δ|", "number", [0.02, 0.005], { priority: 1, bars: true, worst: "most" }),
  figureColumn("k3", "number", [1e-3, 2e-4], { priority: 2 }),
]);

const prose = makeTable("parity", "As verl logs it", [
  textColumn("key", ["rollout_corr/kl", "b"]),
  textColumn("logged", ["0.1", "0.2"], { align: "right" }),
  textColumn("why", ["summed in float32 over padded rows", ""], { priority: 2, wrap: true }),
]);

const plain = (width: number) => makeSurface({ width, color: false, unicode: true });

describe("drawTable", () => {
  it("aligns wide characters and draws bars", () => {
    expect(drawTable(wide, plain(80)).lines).toEqual([
      "  name  tokens  mean |Δ|                  k3",
      "  数学   1,200    0.0200 ██████████  0.00100",
      "  code       7    0.0050 ██▌         0.00020",
    ]);
  });

  it("gives up the least needed columns first, then bars, and says which", () => {
    expect(drawTable(wide, plain(40))).toEqual({
      lines: [
        "  name  mean |Δ|                  k3",
        "  数学    0.0200 ██████████  0.00100",
        "  code    0.0050 ██▌         0.00020",
      ],
      leftOut: ["tokens"],
    });
    const { lines } = drawTable(wide, plain(30));
    expect(lines).toEqual([
      "  name  mean |Δ|       k3",
      "  数学    0.0200  0.00100",
      "  code    0.0050  0.00020",
    ]);
    expect(drawTable(wide, plain(20)).leftOut).toEqual(["k3", "tokens"]);
  });

  it("wraps prose in its column, or below its row where there is no room beside", () => {
    expect(drawTable(prose, plain(56)).lines).toEqual([
      "  key              logged  why",
      "  rollout_corr/kl     0.1  summed in float32 over padded",
      "                           rows",
      "  b                   0.2",
    ]);
    expect(drawTable(prose, plain(40)).lines).toEqual([
      "  key              logged",
      "  rollout_corr/kl     0.1",
      "      summed in float32 over padded rows",
      "  b                   0.2",
    ]);
  });

  it("breaks no number", () => {
    const names = ["geo-rs 0.995–1.005 + token-tis 2", "token-clamp 0.8–1.2 of the policy"];
    const table = makeTable("corrections", "Corrections", [
      textColumn("correction", names),
      textColumn("reading that is not folded", ["normal", "high"]),
    ]);
    const lines = drawTable(table, plain(40)).lines.map((line) => line.slice(0, 22).trim());
    for (const whole of ["0.995–1.005", "0.8–1.2"])
      expect(
        lines.some((line) => line.includes(whole)),
        `${whole} in ${lines.join(" | ")}`,
      ).toBe(true);
  });

  it("folds long names behind their separators instead of cutting them, headers too", () => {
    const names = ["training/rollout_actor_probs_pearson_corr", "sampling/importance_sampling_ratio/min"];
    const table = makeTable("logged", "Logged metrics", [
      textColumn("metric", names),
      textColumn("reading of step-1200-of-the-run", ["normal", "high"]),
      textColumn("worst", ["0.99", "3e-9"], { align: "right" }),
    ]);
    expect(drawTable(table, plain(48)).lines).toEqual([
      "  metric                   reading of     worst",
      "                           step-1200-of-",
      "                           the-run",
      "  training/rollout_actor_  normal          0.99",
      "  probs_pearson_corr",
      "  sampling/importance_     high            3e-9",
      "  sampling_ratio/min",
    ]);
  });

  it("marks the worst figure with a style", () => {
    const esc = String.fromCharCode(27);
    const [, first] = drawTable(wide, makeSurface({ width: 80, color: true, unicode: true })).lines;
    expect(first).toContain(`${esc}[1;33m  0.0200${esc}[0m`);
  });

  it("draws in ASCII", () => {
    const { lines } = drawTable(wide, makeSurface({ width: 80, color: false, unicode: false }));
    expect(lines[0]).toBe("  name              tokens  mean |D|                  k3");
    expect(lines[1]).toBe("  \\u{6570}\\u{5b66}   1,200    0.0200 ##########  0.00100");
  });
});
