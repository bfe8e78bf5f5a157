import { describe, expect, it } from "vitest";
import type { GroupPage } from "../../../results/page.ts";
import { sparkValue } from "../../../results/wire/briefs.ts";
import { decodeSequence } from "../../../results/wire/sequence.ts";
import { decodeTable } from "../../../results/wire/table.ts";
import { prepareRun } from "../prepare/cache/prepare-run.ts";
import type { PreparedRun } from "../prepare/cache/prepared-run.ts";
import { useDemoRun } from "../prepare/demo-run.test-data.ts";
import { DEMO, DEMO_TOKENIZER } from "../prepare/made-run.test-data.ts";
import { groupPage } from "./index.ts";

const read = async (run: PreparedRun, index: number): Promise<GroupPage> =>
  JSON.parse(Buffer.from((await groupPage(run, index))!).toString()) as GroupPage;

const demo = useDemoRun();

describe("the page of a group", () => {
  it("has every sample of the prompt, the best reward first, whichever of them was asked for", async () => {
    const page = await read(demo.run, 100);
    const { columns } = decodeTable(await demo.run.answer("sequences"));
    expect(page).toEqual(await read(demo.run, 96));
    expect(page.first).toBe(96);
    expect(page.samples.map(({ sequence }) => sequence).sort((a, b) => a - b)).toEqual([
      96, 97, 98, 99, 100, 101, 102, 103,
    ]);
    const rewards = page.samples.map(({ reward }) => reward!);
    expect(rewards).toEqual([...rewards].sort((a, b) => b - a));
    expect(page.outcome).toBe("6 of 8 right; rewards from 0 to 1");
    expect(page.prompt).toBe(
      "<bos>Question: Ben has 60 books, finds 60 and gives 33 to Ana. How many are left?",
    );
    expect(page.title).toMatch(
      /^“Question: Ben has 60 books, finds 60 and gives 33 to Ana\. Ho…” · step \d+$/,
    );
    for (const sample of page.samples) {
      expect(sample.delta_abs_max).toBeCloseTo(columns.delta_abs_max[sample.sequence]!, 6);
      expect(sample.worst).toBe(columns.worst_token[sample.sequence]);
      expect(sample.tokens).toBe(columns.response_tokens[sample.sequence]);
      const largest = Math.max(...sample.strip.map((level) => sparkValue(Math.abs(level)) || 0));
      expect(Math.abs(largest / sample.delta_abs_max! - 1)).toBeLessThan(0.05);
    }
    const lengths = page.samples.map(({ tokens }) => tokens);
    expect(page.longest).toBe(Math.max(...lengths));
  });

  it("says where samples part", async () => {
    const page = await read(demo.run, 96);
    const ids = new Map<number, Int32Array>();
    for (const { sequence } of page.samples) {
      const wire = decodeSequence((await demo.run.sequence(sequence))!);
      ids.set(sequence, wire.ids.slice(wire.meta.promptLength));
    }
    const start = ids.get(96)!.slice(0, page.shared.tokens);
    for (const own of ids.values()) expect(own.slice(0, start.length)).toEqual(start);
    expect(new Set([...ids.values()].map((own) => own[start.length])).size).toBeGreaterThan(1);
    expect(page.shared.text).toBe("Step 1:");
    for (const { sequence, branch } of page.samples) {
      const own = ids.get(sequence)!;
      const others = [...ids].filter(([other]) => other !== sequence).map(([, other]) => other);
      const begins = (other: Int32Array, count: number) =>
        own.slice(0, count).every((id, at) => other[at] === id);
      expect(others.some((other) => begins(other, branch))).toBe(true);
      expect(branch < own.length && others.some((other) => begins(other, branch + 1))).toBe(false);
    }
  });

  it("merges equal events: the wrong digit that seven of eight samples wrote is one row", async () => {
    const { columns } = decodeTable(await demo.run.answer("sequences"));
    const worst = columns.delta_abs_max.indexOf(Math.max(...columns.delta_abs_max));
    const { events } = await read(demo.run, worst);
    expect(events!.raw[0]).toMatchObject({ times: 7, samples: 7 });
    const cells = (header: string) => events!.columns.find((column) => column.header === header)!.cells;
    expect([cells("times")[0], cells("samples")[0], cells("Δ")[0]]).toEqual(["× 7", "7 of 8", "−10.7"]);
    expect(events!.links![0]).toEqual({
      view: "sequence",
      sequence: worst,
      token: columns.worst_token[worst],
    });
    expect(events!.columns.at(-1)!.contexts![0]![1]).toBe("0");
  });

  it("has no text where texts are redacted or not known", async () => {
    for (const options of [{ tokenizer: DEMO_TOKENIZER, redact: "text" as const }, {}]) {
      const quiet = await prepareRun([DEMO], { ...options, cache: demo.work.path("quiet") });
      const page = await read(quiet, 96);
      expect([page.prompt, page.shared]).toEqual([null, { tokens: 4, text: null }]);
      expect(page.title).toBe(`Group ${page.group} · step ${page.step}`);
      expect(page.samples.map(({ answer }) => answer)).toEqual(Array(8).fill(null));
      expect(page.samples.map(({ branch }) => branch).sort()).toEqual(
        (await read(demo.run, 96)).samples.map(({ branch }) => branch).sort(),
      );
      expect(JSON.stringify(page)).not.toMatch(/Step|Question|answer is/);
      await quiet.close();
    }
  });

  it("is of one sample, of a hundred, and of tokens without ids", async () => {
    const many = Array.from({ length: 100 }, (_, at) => ({
      uid: "g",
      step: 1,
      reward: at % 2,
      response_ids: [1, 2 + (at % 3), at],
    }));
    const file = await demo.work.run("many.jsonl", [
      ...many,
      { step: 1, reward: 1 },
      { step: 2, uid: "g", response_ids: undefined, reward: 0.5 },
    ]);
    const made = await prepareRun([file], { cache: demo.work.path("made") });
    const hundred = await read(made, 50);
    expect([hundred.samples.length, hundred.shared.tokens, hundred.events!.raw[0]!.times]).toEqual([
      100, 1, 100,
    ]);
    const [alone, other] = [await read(made, 100), await read(made, 101)];
    expect([alone.group, alone.samples.length, alone.shared.tokens]).toEqual([null, 1, 0]);
    expect([alone.title, other.title]).toEqual(["One sequence without a group · step 1", "Group g · step 2"]);
    expect([other.group, other.step, other.samples.length, other.outcome]).toEqual(["g", 2, 1, "reward 0.5"]);
    expect(await groupPage(made, 102)).toBeUndefined();
    await made.close();
  });
});
