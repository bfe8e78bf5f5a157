import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unfoldedRows } from "../../../render/document/rows.ts";
import type { PageDocument } from "../../../render/page/page-document.ts";
import type { PageTable } from "../../../results/page.ts";
import type { MismatchReport } from "../../../results/report.ts";
import { type ExampleStudy, exampleStudy } from "../kl/example-study.test-data.ts";
import { prepareStudy } from "../kl/prepare-study.ts";
import { prepareRun } from "../prepare/cache/prepare-run.ts";
import { useDemoRun } from "../prepare/demo-run.test-data.ts";
import { DEMO } from "../prepare/made-run.test-data.ts";
import { digitsTables, reportTables, studyTables } from "./index.ts";

const json = <T>(bytes: Uint8Array | undefined): T => JSON.parse(Buffer.from(bytes!).toString()) as T;

function checkShape({ rows, columns, links }: PageTable): void {
  for (const { cells, contexts } of columns) expect((contexts ?? cells).length).toBe(rows);
  expect(links?.length ?? rows).toBe(rows);
}

describe("pages of a run", () => {
  const demo = useDemoRun();

  it("have the report's tables, with what they lead to and all digits behind them", async () => {
    const { verdict, aside, sections } = json<PageDocument>(await reportTables(demo.run));
    const report = json<MismatchReport>(await demo.run.answer("report"));
    const tables = sections.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.kind === "table" ? [block.table] : [])),
    );
    for (const table of tables) checkShape(table);
    const correctness = tables.find(({ id }) => id === "correctness")!;
    const at = correctness.columns[0]!.cells.indexOf("incorrect");
    expect(correctness.links?.[at]).toEqual({ view: "sequences", params: { filter: "correct:no" } });
    expect(correctness.raw.map(({ k3 }) => k3)).toEqual(report.per_correctness.map(({ k3 }) => k3));
    const steps = tables.find(({ id }) => id === "steps")!;
    expect(steps.rows).toBe(report.per_step.length);
    expect(steps.links?.[0]).toEqual({
      view: "sequences",
      params: { steps: `${report.per_step[0]!.step}..${report.per_step[0]!.step}` },
    });
    const classes = tables.find(({ id }) => id === "classes")!;
    expect(classes.links?.[0]).toMatchObject({ view: "sequence", token: expect.any(Number) as number });
    const spread = sections.find(({ id }) => id === "spread")!.blocks;
    expect(spread.map((block) => (block.kind === "picture" ? block.picture.svg.slice(0, 4) : ""))).toEqual(
      Array(5).fill("<svg"),
    );
    expect(verdict?.level).toBe(report.verdict.level);
    // What to run next are tabs of the page.
    expect(aside!.map(({ kind }) => kind)).not.toContain("command");
    const stands = aside.find((block) => block.kind === "list" && block.title === "What stands out");
    expect(stands).toMatchObject({
      items: expect.arrayContaining([expect.stringMatching(/^78\.0 % of k3/)]),
    });
    const figures = tables.find(({ id }) => id === "key-figures")!;
    expect(figures.raw[0]).toMatchObject({ figure: "delta_abs_mean", value: report.metrics.delta_abs_mean });
    expect(figures.columns.map(({ cells }) => cells[0])).toEqual([
      "mean |Δ|",
      "0.00395",
      "—",
      "normal",
      "0.01 in dense bf16, CI gates at 0.1",
    ]);
    expect(figures.columns[0]!.meanings?.[0]).toBe("mean of |Δ|, nats");
    expect(figures.note).toContain("one prompt holds 29.8 %");
    expect(figures.raw.map(({ value }) => value)).not.toContain(undefined);
    const parts = new Set(sections.map(({ part, isFolded = false }) => `${part} ${isFolded}`));
    expect([...parts]).toEqual(
      expect.arrayContaining([
        "Worst places false",
        "Where the mismatch is false",
        "Quantiles and tails true",
      ]),
    );
    // Made once.
    expect(await reportTables(demo.run)).toBe(await reportTables(demo.run));
  });

  it("lead from each digit to its place in its text", async () => {
    const { sections } = json<PageDocument>(await digitsTables(demo.run));
    expect(sections.map(({ id, blocks }) => [id, blocks.map(({ kind }) => kind).join()])).toEqual([
      ["sure", "table,table,table"],
      ["steps", "charts,table"],
      ["places", "picture,table"],
      ["digits", "picture,table"],
      ["digit-losses-sampled", "table"],
      ["least-sure", "table"],
      ["widest-gaps", "table"],
      ["absent", "list"],
    ]);
    for (const id of ["least-sure", "widest-gaps"]) {
      const [block] = sections.find((section) => section.id === id)!.blocks;
      if (block?.kind !== "table") throw new Error(`no table ${id}`);
      const { table } = block;
      checkShape(table);
      expect([table.first, table.rows]).toEqual([5, 50]);
      const contexts = table.columns.at(-1)!.contexts!;
      const digits = table.columns[1]!.cells;
      for (const [row, context] of contexts.entries()) {
        expect(context?.[1].trim()).toBe(digits[row]!.split(" ")[0]);
        const { sequence, token } = table.links![row]!;
        expect(table.columns[0]!.cells[row]).toMatch(new RegExp(`\\.t${token}$`));
        expect(sequence).toBeLessThan(demo.run.info.sequences);
      }
    }
  });

  it("have no digits without a tokenizer", async () => {
    const plain = await prepareRun([DEMO], { cache: demo.work.path("cache") });
    expect(await digitsTables(plain)).toBeUndefined();
    await plain.close();
  });
});

describe("the page of a study", () => {
  let example: ExampleStudy;
  beforeAll(async () => {
    example = await exampleStudy();
  });
  afterAll(() => example.remove());

  it("has its answers, pictures and tables, whose spikes lead to their tokens", async () => {
    const study = await prepareStudy(example.dir, { cache: `${example.folder}/cache` });
    const page = json<PageDocument>(await studyTables(study));
    await study.close();
    expect(page.lead.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["entries", "picture", "facts"]),
    );
    expect(page.sections.map(({ title }) => title)).toEqual(
      expect.arrayContaining(["Token categories", "Spikes", "Case studies"]),
    );
    const folded = page.sections.filter(({ isFolded }) => isFolded).map(({ id }) => id);
    expect(folded).toEqual(["method", "caveats", "left-out"]);
    const tables = page.sections.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.kind === "table" ? [block.table] : [])),
    );
    for (const table of tables) {
      checkShape(table);
      expect(table.rows).toBeGreaterThan(0);
      expect(table.raw.length).toBeGreaterThan(0);
    }
    const spikes = tables.find(({ id }) => id === "top-spikes")!;
    const [, text, token] = /^q(\d+)\.t(\d+)$/.exec(String(spikes.raw[0]!.handle))!;
    expect(spikes.links?.[0]).toEqual({ view: "checkpoints", params: { part: "texts", text, token } });
  });
});

it("unfolds small objects into columns, and leaves lists out", () => {
  expect(
    unfoldedRows([
      { a: 1, interval: { low: 0, high: 2 }, deep: { test: { p: 0.5 } }, list: [1], none: null },
    ]),
  ).toEqual([{ a: 1, "interval.low": 0, "interval.high": 2, "deep.test.p": 0.5, none: null }]);
});
