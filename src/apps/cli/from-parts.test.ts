import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { captured } from "./commands/captured.test-data.ts";
import { doctor } from "./commands/doctor.ts";
import { merge } from "./commands/merge.ts";
import { summarize } from "./commands/summarize.ts";
import { sweep } from "./commands/sweep.ts";

const DEMO = "examples/demo/stale";
const READ = { steps: "10..30" };
let folder = "";
let parts = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-from-parts-"));
  parts = join(folder, "parts");
  const options = { ...READ, methods: "token-tis", for: "doctor,sweep,report", out: parts };
  const { status, out, err } = await captured((terminal) => summarize([DEMO], options, terminal));
  expect([status, out]).toEqual([0, ""]);
  expect(err).toContain(`written: ${parts}: 3 shards for doctor, 192 sequences`);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function print(verb: Parameters<typeof captured>[0]): Promise<string> {
  const { status, out } = await captured(verb);
  expect(status).toBe(0);
  return out;
}

/** What a verb that refuses says. */
const refusal = (verb: Parameters<typeof captured>[0]): Promise<unknown> =>
  captured(verb).then(
    () => "it was done",
    (error: unknown) => error,
  );

describe("a directory of parts for several verbs", () => {
  it("answers each as dumps do, word by word", async () => {
    expect(await print((terminal) => doctor([parts], {}, terminal))).toBe(
      await print((terminal) => doctor([DEMO], READ, terminal)),
    );
    const tried = { methods: "token-tis" };
    expect(await print((terminal) => sweep([parts], { all: true }, terminal))).toBe(
      await print((terminal) => sweep([DEMO], { ...READ, ...tried, all: true }, terminal)),
    );
    expect(await print((terminal) => merge([parts], { brief: true }, terminal))).toContain("192 answers");
  });

  it("takes no flags that choose what is read or tried, and says where they belong", async () => {
    expect(await refusal((terminal) => doctor([parts], READ, terminal))).toMatchObject({
      message: `--steps 10..30 belongs to summarize: ${parts} contains results, not dumps`,
      hint: "logratio summarize DUMPS --for doctor --steps 10..30 --out DIR",
    });
    const tried = { methods: "icepop" };
    expect(await refusal((terminal) => sweep([parts], tried, terminal))).toMatchObject({
      message: `--methods icepop belongs to summarize: ${parts} contains results, not dumps`,
    });
    expect(await refusal((terminal) => doctor([parts, DEMO], {}, terminal))).toMatchObject({
      message: `${parts} contains parts, but ${DEMO} does not`,
    });
    expect(await refusal((terminal) => doctor([DEMO], { parts }, terminal))).toMatchObject({
      message: "--parts belongs to --on",
    });
  });

  it("merges to one part of a verb that is named, and to none of several", async () => {
    const out = join(folder, "one.lrs");
    expect(await refusal((terminal) => merge([parts], { out }, terminal))).toMatchObject({
      message: expect.stringContaining("only parts for one verb merge"),
      hint: expect.stringContaining("--for "),
    });
    expect(await print((terminal) => merge([parts], { out, for: "sweep" }, terminal))).toBe("");
    expect(await print((terminal) => sweep([out], { json: true }, terminal))).toBe(
      await print((terminal) => sweep([parts], { json: true }, terminal)),
    );
    expect(await refusal((terminal) => merge([parts], { for: "sweep" }, terminal))).toMatchObject({
      message: "merge prints reports; --for sweep needs --out",
      hint: "logratio sweep PARTS answers from parts for sweep",
    });
    expect(await refusal((terminal) => merge([parts], { for: "show", out }, terminal))).toMatchObject({
      message: 'no parts are made for "show"',
    });
  });
});
