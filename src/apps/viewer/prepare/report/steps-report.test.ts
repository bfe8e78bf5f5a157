import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resultJson } from "../../../../core/base/json.ts";
import type { PageDocument } from "../../../../render/page/page-document.ts";
import type { MismatchReport } from "../../../../results/report.ts";
import type { TopTokens } from "../../../../results/view.ts";
import { decodeTable } from "../../../../results/wire/table.ts";
import { buildReportTables, reportTables } from "../../documents/index.ts";
import { prepareRun } from "../cache/prepare-run.ts";
import type { PreparedRun } from "../cache/prepared-run.ts";
import { DEMO, DEMO_TOKENIZER, type Workspace, workspace } from "../made-run.test-data.ts";

const FROM = 30;
const TO = 80;

interface Answers {
  readonly report: MismatchReport;
  readonly top: TopTokens;
}

async function readAnswers(run: PreparedRun): Promise<Answers> {
  const answer = async (name: "report" | "tokens"): Promise<unknown> =>
    JSON.parse(Buffer.from(await run.answer(name)).toString());
  return { report: (await answer("report")) as MismatchReport, top: (await answer("tokens")) as TopTokens };
}

/** Without the places of sequences in the table, alternatives at mistakes, and numbers to five digits: kernels sum batches in single precision. */
function plain(value: unknown): unknown {
  return JSON.parse(resultJson(value), (key, each: unknown) => {
    // The sums are over sequences without alternatives: those of mistakes are the sampled token alone.
    if (key === "sequence" || key === "command" || key === "alternatives") return undefined;
    return typeof each === "number" ? Number(each.toPrecision(5)) : each;
  });
}

describe("the report over some steps", () => {
  let work: Workspace;
  let run: PreparedRun;
  let part: PreparedRun;
  beforeAll(async () => {
    work = await workspace();
    const options = { tokenizer: DEMO_TOKENIZER };
    run = await prepareRun([DEMO], { ...options, cache: work.path("whole") });
    const read = { steps: (step: number) => step >= FROM && step <= TO };
    part = await prepareRun([DEMO], {
      ...options,
      read,
      flags: ["--steps", "30..80"],
      cache: work.path("part"),
    });
  });
  afterAll(async () => {
    for (const each of [run, part]) await each.close();
    await work.remove();
  });

  it("is the report of a run that has only these", async () => {
    const found = (await run.reportOf([FROM, TO]))!;
    const meant = await readAnswers(part);
    expect(meant.report.metrics.tokens).toBeGreaterThan(1000);
    // What a flag leaves out is that command's, not the whole run's.
    expect(meant.report.left_out.map(({ why }) => why)).toEqual(["requested"]);
    expect(found.report.left_out).toEqual([]);
    for (const key of Object.keys(meant.report) as (keyof MismatchReport)[])
      if (key !== "left_out" && key !== "findings")
        expect(plain(found.report[key]), key).toEqual(plain(meant.report[key]));
    for (const key of ["by_token", "by_class", "by_position", "by_turn", "turns"] as const)
      expect(plain(found.top[key]), key).toEqual(plain(meant.top[key]));
    // Of equal ones the first in the table comes first.
    const sizes = ({ occurrences }: TopTokens): unknown =>
      plain(occurrences.map(({ delta }) => Math.abs(delta)));
    expect(sizes(found.top)).toEqual(sizes(meant.top));
  });

  it("points at places in the table of the whole run", async () => {
    const { top } = (await run.reportOf([FROM, TO]))!;
    const { step } = decodeTable(await run.answer("sequences")).columns;
    const places = [
      ...top.occurrences.map(({ sequence }) => sequence),
      ...top.turns.by_mean.map(({ sequence }) => sequence),
      ...top.by_class.flatMap(({ worst }) => worst?.sequence ?? []),
    ];
    expect(places.length).toBeGreaterThan(200);
    for (const place of places) expect(step[place]! >= FROM && step[place]! <= TO).toBe(true);
  });

  it("over all steps is the whole report, also as tables", async () => {
    const { report } = (await run.reportOf([-1e9, 1e9]))!;
    expect(plain(report.metrics)).toEqual(plain((await readAnswers(run)).report.metrics));
    const tables = (bytes: Uint8Array | undefined) =>
      JSON.parse(Buffer.from(bytes!).toString()) as PageDocument;
    const [all, whole] = [tables(await buildReportTables(run, [-1e9, 1e9])), tables(await reportTables(run))];
    expect(all.sections.map(({ id }) => id)).toEqual(whole.sections.map(({ id }) => id));
    const spread = ({ sections }: PageDocument) => sections.find(({ id }) => id === "spread");
    expect(spread(all)).toEqual(spread(whole));
  });

  it("is not there where no token is", async () => {
    expect(await run.reportOf([7000, 8000])).toBeUndefined();
    expect(await buildReportTables(run, [7000, 8000])).toBeUndefined();
  });
});
