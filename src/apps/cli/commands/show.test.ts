import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reportRun } from "../../../analyses/runs/report-run.ts";
import type { ShowReport } from "../../../results/show.ts";
import { line } from "../../viewer/prepare/made-run.test-data.ts";
import { EXIT } from "../exit-status.ts";
import { type Captured, captured, DEMO } from "./captured.test-data.ts";
import { type ShowOptions, show } from "./show.ts";

const RUN = join(DEMO, "stale");
const tokenizer = join(DEMO, "tokenizer");
let directory = "";
const path = (name: string): string => join(directory, name);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "logratio-show-"));
  const rows = [1, 2].map(
    (step) => line({ step, rank: 0 }) + line({ step, rank: 1, old_log_probs: [-9, -2, -3] }),
  );
  await writeFile(path("steps.jsonl"), rows.join(""));
});
afterAll(() => rm(directory, { recursive: true }));

const run = (args: readonly string[], options: ShowOptions = {}): Promise<Captured> =>
  captured((terminal) => show(args, options, terminal));

const runReport = async (args: readonly string[], options: ShowOptions = {}): Promise<ShowReport> =>
  JSON.parse((await run(args, { ...options, json: true })).out) as ShowReport;

describe("show", () => {
  it("prints a sequence with its turns, its text and its furthest token", async () => {
    const { status, out, err } = await run([RUN, "s30.q48"], { tokenizer });
    expect(status).toBe(EXIT.fine);
    expect(err).toBe("");
    expect(out).toContain("mean |Δ| 0.250 · max |Δ| 10.7 at t39");
    expect(out).toContain("⟨bos⟩Question: Solve x - 86 = 24. What is x?⏎\n");
    expect(out).toContain("tool output · 5 tokens · t22–t26");
    expect(out).toContain("Therefore x = 1⟦----0⟧0. #### 100⟨eos⟩");
    expect(out).toMatch(/s30\.q48\.t39 +-10\.7 █{10} +0\.983 +2\.20e-5 {2}"0"\n/);
    expect(out.replaceAll(/ \\\n\s+/g, " ")).toContain(
      `logratio show ${RUN} s30.q48.t39 --tokenizer ${tokenizer}`,
    );
  });

  it("prints a token with both policies' values and alternatives", async () => {
    const { out } = await run([RUN, "s30.q48.t39"], { tokenizer });
    expect(out).toContain("»⟦----0⟧«");
    expect(out).toMatch(/log p +-0\.0167 +-10\.7 +-10\.7/);
    expect(out).toMatch(/ {5}"1" +56 +0\.0159 .* 2 +0\.999900 .* 1\n/);
    expect(out).toMatch(/> {2}"0" +55 +0\.983 .* 1 +2\.20e-5 .* 2\n/);
    expect(out).toMatch(/"\." +53 .* ≤ 8\.78e-6 .* not in top 5/);
  });

  it("prints either as Markdown, with the command that repeats it", async () => {
    const { out } = await run([RUN, "s30.q48.t39"], { tokenizer, markdown: true });
    expect(out).toMatch(/^### Sequence `s30\.q48`\n/);
    expect(out).toContain("Therefore x = 1»⟦----0⟧«0. #### 100⟨eos⟩\n");
    expect(out).toMatch(/\| &gt; \| "0" \| 55 \| 0\.983 \| 1 \| 2\.20e-5 \| 2 \|\n/);
    expect(out).toContain(`logratio show ${RUN} s30.q48.t39 --tokenizer ${tokenizer}\n`);
    await expect(run([RUN, "q1"], { json: true, markdown: true })).rejects.toThrow(/cannot be combined/);
  });

  it("lists the mistakes of the run by what reaches the gradient, and shows the first", async () => {
    const { token, events, next } = await runReport([RUN, "worst"], { tokenizer });
    const report = await reportRun([RUN], { tokenizer });
    expect(events).toEqual(report.assessment.events);
    expect(token!.handle).toBe(events!.list[0]!.handle);
    expect(token!.handle).toBe("s10.q7.t16");
    expect(next!.command).toBe(`logratio show ${RUN} s10.q7 --tokenizer ${tokenizer}`);
    const { out } = await run([RUN, "worst"], { tokenizer, by: "raw" });
    expect(out).toMatch(/Mistakes by Σ\|Δ\|.*\n +the first 5 of 11\n/);
    expect(out).toMatch(/s30\.q48\.t39 +7 of 8 answers .*29\.0 % +0 % +.*1»0«0\. ####/);
    // One line: its answers are five of the five worst sequences.
    expect(out.match(/^ +s30\.q\d+\.t\d+ .*answers?/gm)).toHaveLength(1);
  });

  it("finds the worst token of the run, the same that the report names", async () => {
    const { sequence, token, next, events } = await runReport([RUN, "worst"], { by: "raw" });
    expect(events).toMatchObject({
      rank: "raw",
      list: [{ handle: "s30.q48.t39", answers: 7, of_answers: 8 }, {}, {}, {}, {}],
    });
    expect(token!.handle).toBe("s30.q48.t39");
    expect(token!.delta).toBeCloseTo(-10.7072, 4);
    expect(sequence).toMatchObject({ step: 30, row: 48, turns: 2, tokens: 43, response_tokens: 48 });
    expect(next!.command).toBe(`logratio show ${RUN} s30.q48`);
  });

  it("prints all tokens as JSON, whatever is folded on the screen", async () => {
    const report = await runReport([RUN, "s30.q48"], { tokenizer, metric: "k3" });
    expect(report).toMatchObject({ schemaVersion: 1, kind: "show", tokenizer, token: null });
    expect(report.metric).toMatchObject({ name: "k3", scale: 0.5, signed: false });
    expect(report.tokens).toHaveLength(48);
    expect(report.tokens.map(({ text }) => text).join("")).toBe(
      "Step 1: first x = 24 + 86 <calc>24+86</calc><out>110</out> so 110.\nTherefore x = 100. #### 100<eos>",
    );
    expect(report.sections.map(({ kind, from, to }) => [kind, to - from])).toEqual([
      ["turn", 22],
      ["tool", 5],
      ["turn", 21],
    ]);
    expect(report.worst[0]).toBe(39);
  });

  it("shows ids without a tokenizer, and says so", async () => {
    const { out, err } = await run([RUN, "s30.q48"]);
    expect(out).toContain("#55 ");
    expect(err).toContain("without a tokenizer, tokens are shown as ids");
  });

  it("reads only files of the step that the handle names", async () => {
    const { sources } = await runReport([RUN, "s30.q48"]);
    expect(sources.map(({ step }) => step)).toEqual([30]);
  });

  it("finds sequences of steps and ranks in one file", async () => {
    const { sequence } = await runReport([path("steps.jsonl"), "s2.r1.q3"], { rank: "rank" });
    expect(sequence).toMatchObject({ handle: "s2.r1.q3", delta_abs_max: 8, worst: 0 });
    const { sequence: short } = await runReport([path("steps.jsonl"), "q2"]);
    expect(short.handle).toBe("s2.q2");
  });

  it.each([
    [["q48"], /q48 names 12 sequences/, /s10\.q48, s20\.q48.* and 6 more/],
    [["s31.q48"], /no sequence s31\.q48/, /nearest steps are 20, 30, 50 \(12 in all, 10 to 150\)/],
    [["s30.q99"], /no sequence s30\.q99/, /64 sequences from s30\.q0 to s30\.q63/],
    [["s30.q48.t99"], /no token s30\.q48\.t99/, /s30\.q48\.t0 to s30\.q48\.t47/],
    [["48"], /"48" is not a handle/, /all but q41 may be left out/],
  ])("refuses %j and says what there is", async ([handle], message, hint) => {
    await expect(run([RUN, handle!])).rejects.toMatchObject({
      _tag: "UsageError",
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
  });

  it("knows the steps of a file that holds several", async () => {
    await expect(run([path("steps.jsonl"), "s9.q0"])).rejects.toMatchObject({
      hint: "the nearest steps are 1, 2 (2 in all, 1 to 2)",
    });
  });

  it("prints what its documentation shows", async () => {
    const root = new URL("../../../../", import.meta.url);
    const page = await readFile(new URL("docs/show.md", root), "utf8");
    const here = relative(process.cwd(), fileURLToPath(root));
    const given = { tokenizer: join(here, "examples/demo/tokenizer") };
    const sequence = await run([join(here, "examples/demo"), "s30.q48"], given);
    expect(page).toContain(sequence.out.trimEnd());
    const token = await run([join(here, "examples/demo"), "s30.q48.t39"], given);
    const card = token.out.slice(token.out.indexOf('s30.q48.t39  "0"'), token.out.indexOf("\nnext"));
    expect(card).toContain("not in top 5");
    expect(page).toContain(card.trimEnd());
  });

  it("shows the worst token where no ratio is outside of [1/2, 2], and says that there is no mistake", async () => {
    const sound = path("sound.jsonl");
    await writeFile(sound, line({ step: 1, rank: 0 }));
    const { out } = await run([sound, "worst"]);
    expect(out).toMatch(/no token has \|Δ\| of 0\.693 nats or more/);
    expect((await runReport([sound, "worst"])).token).not.toBeNull();
    await expect(run([sound, "q0"], { by: "raw" })).rejects.toMatchObject({ _tag: "UsageError" });
  });

  it("refuses a handle without a path, and a scale that is not a number", async () => {
    await expect(run(["s1.q2"])).rejects.toMatchObject({ _tag: "UsageError" });
    await expect(run([RUN, "s30.q48"], { scale: "-1" })).rejects.toMatchObject({ _tag: "UsageError" });
  });
});
