import { expect, it } from "vitest";
import { checkDialect, lintTold } from "../configs/table.test-data.ts";

const call = (args: string): string => `from tunix.rl import x\nGRPOConfig(${args})\n`;

checkDialect("tunix", {
  preset: "verl",
  says: [
    ["a.py", call('sampler_is="token"'), "no no-effect", "no rollout-as-old", "no not-switched-on"],
    [
      "a.py",
      call('sampler_is="sequence"'),
      ['error no-effect@2 → sampler_is="token"', /sampler_is sequence does nothing/],
    ],
    [
      "a.py",
      call("sampler_is_threshold=2.0"),
      'error not-switched-on@2 → sampler_is="token"',
      "note rollout-as-old@2",
    ],
    ["a.py", call('sampler_is="token", sampler_is_treshold=3.0'), "error misspelt@2 → sampler_is_threshold"],
  ],
  marks: [[["a.sampler_is"], ["a.my_sampler_is"]]],
});

it("Tunix's only other mode is none", () => {
  expect(lintTold(call('sampler_is="token", sampler_is_threshold=3.0'), "tunix", "a.py").does).toEqual([
    "token importance weights (log-ratio clamped to ±20 nats), truncated above at 3",
  ]);
  expect(lintTold(call('sampler_is="sequence"'), "tunix", "a.py").does[0]).toContain("every weight is 1");
});
