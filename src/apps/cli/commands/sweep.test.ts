import { describe, expect, it } from "vitest";
import type { SweepReport } from "../../../results/sweep.ts";
import { EXIT } from "../exit-status.ts";
import { type Captured, captured, DEMO } from "./captured.test-data.ts";
import { type SweepOptions, sweep } from "./sweep.ts";

const run = (options: SweepOptions, path = DEMO): Promise<Captured> =>
  captured((terminal) => sweep([path], options, terminal));

describe("sweep", () => {
  it("prints the whole result as JSON: corrections, front, recommendation, configs, flat metrics", async () => {
    const { status, out } = await run({ json: true });
    const report = JSON.parse(out) as SweepReport;
    expect(status).toBe(EXIT.fine);
    expect(report).toMatchObject({ schemaVersion: 3, kind: "sweep", chosen: "token-tis 2" });
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
      setting: ["openrlhf:is_correction_level=token"],
      choose: "icepop 0.5-5",
      for: "xtuner,verl",
    });
    const { corrections, chosen, configs, inexpressible } = JSON.parse(out) as SweepReport;
    const own = corrections.find(({ preset }) => preset?.name === "verl")!;
    const icepop = corrections.find(({ name }) => name === "icepop 0.5–5")!;
    expect(own.name).toBe("verl rollout_is=token rollout_is_threshold=0.5_5.0");
    expect([own.ess_tokens, own.tokens_kept]).toEqual([icepop.ess_tokens, icepop.tokens_kept]);
    expect(corrections.map(({ name }) => name)).not.toContain("token-tis 2");
    expect(chosen).toBe("icepop 0.5–5");
    expect([...configs, ...inexpressible].map(({ preset }) => preset).sort()).toEqual(["verl", "xtuner"]);
  });

  it("shows one config on a terminal, and the command for the rest; pipes and --full have all", async () => {
    const print = (interactive: boolean, options: SweepOptions = {}): Promise<Captured> =>
      captured((terminal) =>
        sweep([DEMO], { methods: "token-tis", ...options }, { ...terminal, interactive }),
      );
    const { out: cut } = await print(true);
    expect(cut).toContain("rollout_is_threshold: 2");
    expect(cut).not.toMatch(/--use-tis|Product ratios/);
    expect(cut.trimEnd().split("\n").at(-1)).toMatch(
      /^the rest +logratio sweep .* --methods token-tis --full$/,
    );
    const { out: whole } = await print(false);
    expect(whole).toMatch(/--use-tis/);
    expect((await print(true, { full: true })).out).toBe(whole);
  });

  it("tries a correction given as text, and prints each row as such a text", async () => {
    const given = "weight:token  truncate:..2";
    const { out } = await run({ json: true, methods: "token-tis", correction: [given], choose: given });
    const { corrections, chosen } = JSON.parse(out) as SweepReport;
    const [own] = corrections.filter(({ name }) => name === "weight:token truncate:..2");
    const same = corrections.find(({ name }) => name === "token-tis 2")!;
    // Of two that do the same the first is on the front.
    expect(own).toEqual({ ...same, name: same.correction_text, on_front: false });
    expect(chosen).toBe(own!.name);

    const text = (await run({ choose: "geo-rs 0.999-1.001 + token-tis 2" })).out;
    expect(text).toContain(
      "    --correction 'weight:token truncate:..2 mask:sequence.mean.ratio:0.999..1.001'\n",
    );
  });

  it.each([
    [
      { correction: ["weight:token truncate:..two"] },
      /^--correction: cannot read "truncate:\.\.two" \(part 2\): "two"/,
    ],
    [{ correction: ["mask:planet.ratio:..2"] }, /^--correction: cannot read .*: there is no level "planet"/],
    [{ correction: ["truncate:..2"] }, /^--correction: step 1 \(truncate\) has no weight/],
    [{ correction: [""] }, /^--correction: the correction is empty/],
    [{ correction: ["weight:token", "weight:token"] }, /two corrections are called "weight:token"/],
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
