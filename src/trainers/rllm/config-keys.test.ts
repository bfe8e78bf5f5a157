import { expect, it } from "vitest";
import { checkDialect, lintTold } from "../configs/table.test-data.ts";

const yaml = (...lines: string[]): string =>
  `algorithm:\n  rollout_correction:\n${lines.map((line) => `    ${line}\n`).join("")}`;

checkDialect("rllm", {
  preset: "verl",
  says: [
    [
      "a.yaml",
      yaml("tis_mode: token", "tis_cap: 5.0"),
      "note depends-on-backend@3",
      "no unknown-key",
      "no trap",
    ],
    [
      "a.sh",
      "python t.py rllm/backend=verl rllm.algorithm.rollout_correction.tis_mode=token",
      "no depends-on-backend",
    ],
    [
      "a.sh",
      "python t.py rllm/backend=tinker rllm.algorithm.rollout_correction.tis_mode=token rllm.algorithm.rollout_correction.bypass_mode=true",
      ["note depends-on-backend@1", /this is tinker$/],
      "warning bypass-mode@1 → bypass_mode: false, or tis_mode: null",
    ],
    [
      "a.yaml",
      yaml("tis_cap: 5.0"),
      ["error not-switched-on@3 → tis_mode: token or sequence", /tis_mode is null/],
    ],
    [
      "a.yaml",
      yaml("tis_mode: null", "tis_cap: 2.0", "bypass_mode: null"),
      "no not-switched-on",
      "no bypass-mode",
    ],
    [
      "a.yaml",
      yaml("tis_mode: token", "tis_capp: 5.0"),
      "error misspelt@4 → algorithm.rollout_correction.tis_cap",
    ],
  ],
  marks: [
    [
      ["rllm.data.a", "stepwise_advantage.enable", "compact_filtering.enable"],
      ["rllmx.a", "my_stepwise_advantage.a"],
    ],
  ],
});

it("rLLM's settings are shown under its own names, and do what verl's do", () => {
  const config = lintTold(yaml("tis_mode: token", "tis_cap: 5.0"), "rllm");
  expect(config.settings.map(({ name, value }) => [name, value])).toEqual([
    ["tis_mode", "token"],
    ["tis_cap", 5],
  ]);
  expect(config.does).toEqual([
    "token importance weights (log-ratio clamped to ±20 nats), truncated above at 5",
  ]);
});
