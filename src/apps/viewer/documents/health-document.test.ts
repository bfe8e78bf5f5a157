import { describe, expect, it } from "vitest";
import type { PageBlock, PageDocument } from "../../../render/page/page-document.ts";
import { decodeTable } from "../../../results/wire/table.ts";
import { useDemoRun } from "../prepare/demo-run.test-data.ts";
import { buildHealthTables, healthTables } from "./index.ts";

const demo = useDemoRun({});

/** Of each check its entry and its table. */
function read(bytes: Uint8Array | undefined) {
  const { sections } = JSON.parse(Buffer.from(bytes!).toString()) as PageDocument;
  const find = <Kind extends PageBlock["kind"]>(blocks: readonly PageBlock[], kind: Kind) =>
    blocks.find((block): block is Extract<PageBlock, { kind: Kind }> => block.kind === kind);
  return sections.map(({ title, blocks }) => ({
    title,
    entry: find(blocks, "entries")!.entries[0]!,
    table: find(blocks, "table")?.table,
    picture: find(blocks, "picture")?.picture,
  }));
}

describe("the page of a run's health", () => {
  it("says of each check how it came out, and leads to what it is about", async () => {
    const checks = read(await healthTables(demo.run));
    expect(checks.map(({ title, entry: { word } }) => [title, word])).toEqual([
      ["Groups without spread in reward", "BEYOND ITS LIMIT"],
      ["Truncated responses", "WITHIN ITS LIMIT"],
      ["Staleness", "NOT RECORDED"],
      ["Reward against length", "BEYOND ITS LIMIT"],
    ]);
    const [flat, cut, stale] = checks;
    expect(flat!.entry.text).toContain("53 of 96 prompt groups");
    expect(flat!.entry.link!.move.params).toEqual({ layout: "groups", "group-sort": "spread" });
    expect(flat!.table!.links![0]!.params).toMatchObject({ layout: "groups", steps: "10..10" });
    expect([flat!.table!.first, flat!.picture!.raw]).toEqual([8, flat!.table!.raw]);
    // Nothing was truncated: a link would lead to everything.
    expect([cut!.entry.link, stale!.entry.link, stale!.table]).toEqual([undefined, undefined, undefined]);
  });

  it("is of the chosen steps where there are some", async () => {
    const { step } = decodeTable(await demo.run.answer("sequences")).columns;
    const checks = read(await buildHealthTables(demo.run, [100, 150]));
    expect(checks[1]!.entry.text).toContain(`of ${step.filter((value) => value >= 100).length} responses`);
    expect(checks[0]!.table!.columns[0]!.cells[0]).toBe("100");
    expect(await buildHealthTables(demo.run, [7000, 8000])).toBeUndefined();
  });
});
