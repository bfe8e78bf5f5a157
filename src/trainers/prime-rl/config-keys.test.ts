import { describe, expect, it } from "vitest";
import { checkDialect, lintTold } from "../configs/table.test-data.ts";

const loss = (...lines: string[]): string => `[trainer.loss]\n${lines.map((line) => `${line}\n`).join("")}`;

checkDialect("prime-rl", {
  says: [
    [
      "a.toml",
      loss('type = "ipo"', "eps = 0.1", "adv_tau = 1.0", "kl_tau = 1e-3"),
      "no unknown-key",
      "no old-name",
      "no refused",
      "no depends-on-version",
      "no settings-elsewhere",
    ],
    [
      "a.toml",
      loss("ipo_threshold = 0.1"),
      [
        "error old-name@2 → eps",
        /is a name from before 2026-08-27: as of 2026-09-18, prime-rl does not take it$/,
      ],
    ],
    [
      "a.toml",
      loss("dppo_mask_low = 0.2"),
      "error old-name@2 → eps, for both directions: IPO took the place of DPPO",
    ],
    ["a.toml", loss('type = "default"'), ['error refused@2 → type = "ipo"', /was removed on 2026-08-27/]],
    ["a.toml", loss("eps = 2.0"), "error not-a-ratio@2"],
    ["a.toml", loss("eps = 0.1", 'type = "custom"', 'import_path = "x"'), "note settings-elsewhere@3"],
    [
      "a.toml",
      `${loss("eps = 0.1")}[trainer]\nenable_token_export = true\n`,
      ["error old-name@4 → nothing: both policies' log-probs are written beside the rollouts by default"],
    ],
    // Losses that are proposed.
    [
      "a.toml",
      loss('type = "kpop"', "kpop_threshold = 0.1"),
      ["warning depends-on-version@2", /that of pull request 3283/],
      ["note not-a-ratio@3", /nats of binary KL/],
      "no refused",
      "no unknown-key",
    ],
    [
      "a.toml",
      loss('type = "kimi_k15"', "tau = 0.1"),
      ["warning depends-on-version@2", /pull request 3381/],
      ["note trap@2", /a penalty that pulls the policy back/],
      "no unknown-key",
    ],
  ],
  marks: [],
});

describe("the days of prime-rl's losses", () => {
  const told = (text: string, version?: string) => lintTold(text, "prime-rl", "a.toml", version);

  it("IPO's default is wider since 18 September", () => {
    const said = (version?: string): string => told(loss("adv_tau = 1.0"), version).does.join();
    for (const version of [undefined, "2026-09-18"]) expect(said(version)).toContain("is above 0.3");
    expect(said("2026-09-01")).toContain("is above 0.1");
    expect(told(loss('type = "ipo"'), "2026-08-01").does.join()).toContain("is above 0.1");
  });

  it("IcePop came on 10 September", () => {
    const text = loss('type = "icepop"', "ratio_low = 0.5", "ratio_high = 5.0");
    expect(told(text).preset).toBe("prime-rl-icepop");
    const codes = (version: string): string[] => told(text, version).findings.map(({ code }) => code);
    expect(codes("2026-09-01")).toContain("refused");
    for (const version of ["2026-09-10", "2026-09-18"]) expect(codes(version)).not.toContain("refused");
  });

  it("says of losses that came later that they were not read", () => {
    const [finding] = told(loss('type = "cispo"', "ratio_high = 5.0", "max_importance_ratio = 1e4")).findings;
    expect(finding).toMatchObject({ severity: "warning", code: "depends-on-version" });
    expect(told(loss('type = "cispo"')).does.join()).toMatch(/^nothing/);
  });
});

describe("the loss that a config of prime-rl means", () => {
  it.each([
    [loss("eps = 0.1"), "prime-rl-ipo"],
    [loss('type = "ipo"'), "prime-rl-ipo"],
    [loss('type = "kpop"'), "prime-rl-kpop"],
    [loss('type = "kimi_k15"'), "prime-rl-ipo"],
    [loss('type = "toString"'), "prime-rl-ipo"],
  ])("%s", (text, preset) => {
    expect(lintTold(text, "prime-rl", "a.toml").preset).toBe(preset);
  });

  it("does nothing to weights where it is only a penalty", () => {
    expect(lintTold(loss('type = "pmd_mean"'), "prime-rl", "a.toml").does.join()).toMatch(/^nothing/);
    expect(lintTold(loss('type = "kpop"'), "prime-rl", "a.toml").does.join()).toContain(
      "binary KL(trainer ‖ rollout) (nats) (probabilities clamped to 0.000001 from 0 and 1) is above 0.1",
    );
  });

  it("is IPO where the config says nothing of it", () => {
    const text = "[orchestrator]\nbatch_size = 128\n[trainer.loss]\nkl_tau = 1e-3\n";
    const config = lintTold(text, "prime-rl", "a.toml");
    expect([config.preset, config.does.at(-1)]).toEqual([
      "prime-rl-ipo",
      expect.stringContaining("|p_trainer − p_rollout| is above 0.3"),
    ]);
  });
});
