import { expect, it } from "vitest";
import type { RunInfo } from "../../../../results/view.ts";
import { sqlHelp } from "./help.ts";

const ALL: RunInfo["has"] = {
  ...{ texts: true, briefs: true, prompts: true, advantages: true, rewards: true, correctness: true },
  ...{ groups: true, weight_versions: true, digits: true },
};
const titles = (lacking: Partial<RunInfo["has"]>): string[] =>
  sqlHelp({ has: { ...ALL, ...lacking } }).examples.map(({ title }) => title);

it("offers the examples whose columns have values in this run", () => {
  const [tokens, steps, groups, classes] = titles({});
  expect(titles({ texts: false })).toEqual([tokens, steps, groups]);
  expect(titles({ groups: false })).toEqual([tokens, steps, classes]);
  expect(titles({ correctness: false })).toEqual([tokens, classes]);
});
