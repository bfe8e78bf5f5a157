import { describe, expect, it } from "vitest";
import type { SweepReport } from "../../../results/sweep.ts";
import { EXIT } from "../exit-status.ts";
import { type Captured, captured, DEMO } from "./captured.test-data.ts";
import { type SweepOptions, sweep } from "./sweep.ts";

const run = (options: SweepOptions, path = DEMO): Promise<Captured> =>
  captured((terminal) => sweep([path], options, terminal));

describe("sweep", () => {
  it("prints the whole result as JSON: settings, front, recommendation, configs, flat metrics", async () => {
    const { status, out } = await run({ json: true });
    const report = JSON.parse(out) as SweepReport;
    expect(status).toBe(EXIT.fine);
    expect(report).toMatchObject({ schemaVersion: 1, kind: "sweep", chosen: "token-tis 2" });
    expect(report.metrics).toMatchObject({ sequences: 768, tokens: 54994, groups: 96, turns_max: 4 });
    for (const value of Object.values(report.metrics)) expect(typeof value).toBe("number");
    expect(report.front).toContain("none");
    expect(report.sources.reduce((sum, { sequences }) => sum + sequences, 0)).toBe(768);
    const verl = report.configs.find(({ preset }) => preset === "verl");
    expect(verl!.text).toContain("rollout_is_threshold: 2");
  });

  it("adds a trainer's own settings as rows, and prints the config of the one that is chosen", async () => {
    const { out } = await run({
      json: true,
      methods: "icepop",
      preset: "verl",
      set: ["rollout_is=token", "rollout_is_threshold=0.5_5.0"],
      setting: ["openrlhf:is_correction_type=icepop"],
      choose: "icepop 0.5-5",
      for: "xtuner,verl",
    });
    const { settings, chosen, configs, inexpressible } = JSON.parse(out) as SweepReport;
    const own = settings.find(({ preset }) => preset?.name === "verl")!;
    const icepop = settings.find(({ name }) => name === "icepop 0.5–5")!;
    expect(own.name).toBe("verl rollout_is=token rollout_is_threshold=0.5_5.0");
    expect([own.ess_tokens, own.tokens_kept]).toEqual([icepop.ess_tokens, icepop.tokens_kept]);
    expect(settings.map(({ name }) => name)).not.toContain("token-tis 2");
    expect(chosen).toBe("icepop 0.5–5");
    expect([...configs, ...inexpressible].map(({ preset }) => preset).sort()).toEqual(["verl", "xtuner"]);
  });

  it.each([
    [
      { setting: ["verl:rollout_is=token,rollout_is_threshold=5_0.5"] },
      /rollout_is_threshold lower bound must/,
    ],
    [{ setting: ["nothing:a=1"] }, /unknown preset "nothing"/],
    [{ set: ["a=1"] }, /--set needs --preset/],
    [{ methods: "tis" }, /unknown method "tis"/],
    [{ choose: "tis 99" }, /unknown correction "tis 99"/],
    [{ for: "torch" }, /unknown preset "torch"/],
    [{ top: "0" }, /--top must be a positive integer/],
    [{ all: true, top: "3" }, /--all and --top cannot be combined/],
    [{ json: true, markdown: true }, /--json and --markdown cannot be combined/],
  ] satisfies [SweepOptions, RegExp][])(
    "refuses %o before it looks at the data",
    async (options, message) => {
      await expect(run(options, "/no/such/path")).rejects.toThrow(message);
      await expect(run(options, "/no/such/path")).rejects.toMatchObject({ _tag: "UsageError" });
    },
  );

  it("repeats itself in Markdown with the flags that make the same table", async () => {
    const { out } = await run({ markdown: true, setting: ["verl:rollout_is=token"], top: "5", pair: false });
    expect(out).toMatch(/logratio sweep .*examples\/demo --setting verl:rollout_is=token --top 5\n/);
  });
});
