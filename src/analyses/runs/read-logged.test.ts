import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeRowFolder, type RowFolder } from "../../../test/support/row-files.ts";
import { EmptyInputError, UsageError } from "../../core/base/errors.ts";
import { PARITY_TRAINERS } from "../../trainers/parity.ts";
import { joinLogged, parityOfLogged } from "./join-logged.ts";
import { hasNoDumps, readLogged } from "./read-logged.ts";
import { reportRun } from "./report-run.ts";

let folder: RowFolder;
let dump = "";
beforeAll(async () => {
  folder = await makeRowFolder();
  dump = await folder.write(
    "dump.jsonl",
    [1, 2, 3].map((step) => ({
      rollout_log_probs: [-1, -2, -0.5],
      old_log_probs: [-1.25, -2.25, -0.75],
      response_mask: [1, 1, 1],
      step,
    })),
  );
});
afterAll(() => folder.remove());

const KEY = "training/rollout_probs_diff_mean";
const truth = (Math.exp(-1) + Math.exp(-2) + Math.exp(-0.5)) * (1 - Math.exp(-0.25));
const log = (name: string, value: number, also: object = {}) =>
  folder.write(
    name,
    [1, 2, 3].map((step) => ({ step, [KEY]: value, ...also })),
  );

describe("logged metrics", () => {
  it("are told from the dumps beside them, and name their trainer", async () => {
    const file = await log("metrics.jsonl", truth / 3);
    const { logged, others, areDirectories } = await readLogged([file, dump]);
    expect(others).toEqual([dump]);
    expect(areDirectories).toBe(false);
    expect(logged!.files).toMatchObject([{ file }]);
    const verl = PARITY_TRAINERS.find(({ name }) => name === "verl")!;
    const slime = PARITY_TRAINERS.find(({ name }) => name === "slime")!;
    expect(parityOfLogged(logged!, [])).toEqual([verl]);
    expect(parityOfLogged(logged!, [verl])).toEqual([verl]);
    expect(parityOfLogged(logged!, [slime])).toEqual([slime, verl]);
  });

  it("are undefined where no file has any", async () => {
    expect(await readLogged([dump])).toMatchObject({ logged: undefined, others: [dump] });
  });

  it("stand in the report without a warning where the dumps give the same", async () => {
    const { logged } = await readLogged([await log("agrees.jsonl", truth / 3)]);
    const report = joinLogged(await reportRun(dump, { threads: 1 }), logged!);
    expect(report.logged!.series[0]!.comparison).toMatchObject({ steps: 3, agreeing: 3 });
    expect(report.findings.filter(({ code }) => code === "logged-differs")).toEqual([]);
  });

  it("are warned about where they differ: how many of how many, which first, in which file", async () => {
    const file = await log("differs.jsonl", truth, {
      "training/rollout_probs_diff_max": Math.exp(-0.5) * (1 - Math.exp(-0.25)),
    });
    const { logged } = await readLogged([file]);
    const report = joinLogged(await reportRun(dump, { threads: 1 }), logged!);
    const [told] = report.findings.filter(({ code }) => code === "logged-differs");
    expect(told).toMatchObject({ severity: "warning", count: 1, at: { file } });
    expect(told!.message).toMatch(
      /1 of 2 logged metrics is not what the dumps give, the first: .*probs_diff_mean/,
    );
  });
});

it("a directory of nothing but metrics holds no dumps; other failures are failures", () => {
  expect(hasNoDumps(new EmptyInputError("nothing"))).toBe(true);
  expect(hasNoDumps(new UsageError("a wrong flag"))).toBe(false);
  expect(hasNoDumps(new Error("anything"))).toBe(false);
});
