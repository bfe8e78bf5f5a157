import { describe, expect, it } from "vitest";
import { checkDialect, lintTold } from "../configs/table.test-data.ts";

const loss = (...lines: string[]): string => `[trainer.loss]\n${lines.map((line) => `${line}\n`).join("")}`;
const LOW = "dppo_mask_low = 0.2";
const NO_RATIO = "a probability difference and not a ratio";
const GONE = "→ nothing: the geometric mask was removed";

checkDialect("prime-rl", {
  version: "2026-08-21",
  says: [
    // Thresholds of the other loss.
    [
      "a.toml",
      loss('type = "ipo"', LOW),
      ['error refused@3 → type = "default"', /dppo_mask_low is not a setting of the ipo loss/],
    ],
    ["a.toml", loss('type = "ipo"', "dppo_mask_high = 0.2"), 'error refused@3 → type = "default"'],
    [
      "a.toml",
      loss('type = "default"', "ipo_threshold = 0.1"),
      ['error refused@3 → type = "ipo"', /ipo_threshold is not a setting of the default loss/],
    ],
    ["a.toml", loss("ipo_threshold = 0.1", LOW), 'error refused@3 → type = "default"'],
    ["a.toml", loss('type = "ipo"', "ipo_threshold = 0.1"), "no refused", "no settings-elsewhere"],
    ["a.toml", loss(LOW, "dppo_mask_high = 0.3"), "no refused", "no settings-elsewhere", "no misspelt"],
    // A function of one's own.
    ["a.toml", loss('type = "custom"', 'import_path = "x"'), ["note settings-elsewhere@2", /a custom loss/]],
    // Losses that are proposed: their pull requests were opened before.
    [
      "a.toml",
      loss('type = "kpop"', "kpop_threshold = 0.1"),
      ["warning depends-on-version@2", /that of pull request 3283/],
      "no refused",
    ],
    // Names of earlier versions.
    ["a.toml", loss(LOW, "token_mask_low = 0.1"), `error old-name@3 → dppo_mask_low, ${NO_RATIO}`],
    ["a.toml", loss(LOW, "token_mask_high = 8.0"), `error old-name@3 → dppo_mask_high, ${NO_RATIO}`],
    ["a.toml", loss(LOW, "clip_ratio = 8.0"), `error old-name@3 → dppo_mask_high, ${NO_RATIO}`],
    ["a.toml", loss(LOW, "geo_mask_low = 0.1"), `error old-name@3 ${GONE}`],
    ["a.toml", loss(LOW, "geo_mask_high = 10.0"), `error old-name@3 ${GONE}`],
    ["a.toml", loss(LOW, 'ratio_type = "sequence"'), "error old-name@3 → nothing: ratios are of tokens"],
    ["a.toml", loss(LOW), "no old-name"],
    // Traps, where they are.
    [
      "a.toml",
      loss(LOW, "dppo_mask_high = 1.2"),
      ["error not-a-ratio@3", /1 or more/],
      ["note not-a-ratio", /difference of probabilities/],
    ],
    [
      "a.toml",
      loss('type = "ipo"', "ipo_threshold = 2.0"),
      ["error not-a-ratio@3", /1 or more/],
      ["note not-a-ratio@3", /difference of probabilities/],
    ],
    ["a.toml", loss(LOW), ["note raw-weights", /not clamped/]],
    // Slips.
    [
      "a.toml",
      loss(LOW, "dppo_mask_hihg = 0.2"),
      ["error misspelt@3 → trainer.loss.dppo_mask_high", /^prime-rl has no/],
    ],
    ["a.toml", `[loss]\n${LOW}\ndppo_mask_hihg = 0.2\n`, "error misspelt@3 → loss.dppo_mask_high"],
    ["a.py", "DefaultLossConfig(dppo_mask_hihg=0.2)", "error misspelt@1 → dppo_mask_high"],
    ["a.py", "IPOLossConfig(ipo_treshold=0.2)", "error misspelt@1 → ipo_threshold"],
  ],
  marks: [
    [
      ["a.ipo_threshold", "a.dppo_mask_low", "a.dppo_mask_high"],
      ["a.my_ipo_threshold", "a.ipo_thresholds", "a.dppo_mask_mid"],
    ],
    [
      [
        "trainer.loss.a",
        "trainer.model.a",
        "trainer.optim.a",
        "trainer.ckpt.a",
        "trainer.weight_broadcast.a",
      ],
      ["a.trainer.model", "trainer.elsewhere", "trainers.model"],
    ],
    [
      [
        "orchestrator.train.a",
        "orchestrator.env",
        "orchestrator.batch_size",
        "orchestrator.rollouts_per_example",
        "orchestrator.group_size",
        "orchestrator.advantage.a",
        "orchestrator.renderer",
      ],
      ["a.orchestrator.env", "orchestrator.other"],
    ],
    [
      ["inference.model.name", "inference.parallel.tp", "inference.gpu_memory_utilization"],
      ["a.inference.model", "inference.other"],
    ],
    [["max_async_level"], ["a.max_async_level", "max_async_levels"]],
  ],
  texts: ["max_async_level", ["prime-rl", "prime_rl", "PRIME-RL"], ["primerl", "prime rl"]],
  known: [["loss", ["kl_tau", "adv_tau", "import_path", "kwargs"], "max_async_level: 1\n"]],
});

describe("the loss that a config of prime-rl meant before IPO was the only one", () => {
  it.each([
    [loss(LOW), "prime-rl"],
    [loss("ipo_threshold = 0.1"), "prime-rl-ipo"],
    [loss('type = "ipo"'), "prime-rl-ipo"],
    [loss('type = "default"', "ipo_threshold = 0.1"), "prime-rl"],
    [loss('type = "kpop"'), "prime-rl-kpop"],
    [loss('type = "kimi_k15"'), "prime-rl"],
    [loss('type = "toString"'), "prime-rl"],
  ])("%s", (text, preset) => {
    expect(lintTold(text, "prime-rl", "a.toml", "2026-08-21").preset).toBe(preset);
  });

  it("knows the names of either under either", () => {
    const text = loss('type = "ipo"', LOW, "dppo_mask_high = 0.1");
    const { findings } = lintTold(text, "prime-rl", "a.toml", "2026-08-21");
    expect(findings.map(({ code }) => code)).not.toContain("misspelt");
    expect(findings.filter(({ code }) => code === "refused")).toHaveLength(2);
  });
});
