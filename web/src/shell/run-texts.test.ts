import { expect, it } from "vitest";
import type { RaisedAlert } from "../../../src/results/alerts.ts";
import type { RunInfo, StudyInfo } from "../../../src/results/view.ts";
import {
  describeAlerts,
  describeFiles,
  describeNews,
  furtherFacts,
  listFacts,
  runFacts,
  sayWhereLinkOpens,
} from "./run-texts.ts";

const info: RunInfo = {
  schemaVersion: 1,
  kind: "view-run",
  name: "int8",
  version: "a",
  sequences: 768,
  tokens: 54_897,
  all_tokens: 61_996,
  steps: [10, 20, 150],
  ranks: [0],
  environments: [],
  turns_max: 4,
  trainers: ["verl"],
  top_k: [],
  entropies: [],
  policies: [],
  has: {
    texts: true,
    briefs: true,
    prompts: true,
    advantages: false,
    rewards: true,
    correctness: true,
    groups: false,
    weight_versions: false,
    digits: false,
  },
  shipped: [],
  scales: {
    ...{ delta: 1, k3: 1, prob_diff: 1, entropy: null, impact: null },
    largest: { delta: 1, k3: 1, prob_diff: 1, entropy: null, impact: null },
  },
  tokenizer: null,
  input: { paths: ["runs/a"], flags: [] },
  sampling: [],
  compared: [],
  status: "ready",
  redacted: false,
  findings: [],
};

it("says what a run holds", () => {
  expect(runFacts(info).join(" · ")).toBe("verl · steps 10–150 · 768 answers · 54,897 tokens");
  expect(furtherFacts(info)).toEqual(["3 steps", "61,996 tokens with those of other turns", "up to 4 turns"]);
  expect(furtherFacts({ ...info, steps: [7], all_tokens: info.tokens, turns_max: 1 })).toEqual([]);
  expect(runFacts({ ...info, steps: [], trainers: [] })).toEqual(["768 answers", "54,897 tokens"]);
});

it("says what is new, or nothing", () => {
  expect(describeNews(info, info)).toBe("");
  expect(describeNews(info, { ...info, version: "b", steps: [10, 20, 150, 160] })).toBe("1 new step");
  expect(describeNews(info, { ...info, version: "b", steps: [10, 20, 150, 160, 170] })).toBe("2 new steps");
  expect(describeNews(info, { ...info, version: "b", sequences: 770 })).toBe("2 new sequences");
  expect(describeNews(info, { ...info, version: "b" })).toBe("the run has changed");
});

it("does not announce a file that is still being written, but names it", () => {
  const writing = ["runs/a/step_0020.npz"];
  expect(describeNews(info, { ...info, version: "b", writing })).toBe("");
  expect(describeNews({ ...info, writing }, { ...info, version: "b" })).toBe("");
  expect(describeNews(info, { ...info, version: "b", tokens: 7, writing })).toBe("the run has changed");
  expect(describeFiles(writing)).toBe("step_0020.npz");
  expect(describeFiles([...writing, "C:\\b.npz", "c\u202e.npz"])).toBe("step_0020.npz and 2 more");
});

it("describes a study", () => {
  const study: StudyInfo = {
    schemaVersion: 1,
    kind: "view-study",
    name: "study",
    version: "1",
    reference: "dpo\u202e",
    checkpoints: ["step_1"],
    problems: 1200,
    baselines: [],
    texts: 2400,
    tokens: 1,
    status: "ready",
    redacted: false,
    findings: [],
  };
  expect(listFacts(study)).toEqual([
    "1 checkpoint against dpo\\u202e",
    "1,200 problems",
    "2,400 texts",
    "1 token",
  ]);
  expect(listFacts(info)).toEqual(runFacts(info));
});

it("says how many alerts there are and where the last is", () => {
  const at = (since: number | null): RaisedAlert => ({ since }) as RaisedAlert;
  expect([[at(3)], [at(3), at(30)], [at(null)]].map(describeAlerts)).toEqual([
    "1 alert, at step 3",
    "2 alerts, last at step 30",
    "1 alert",
  ]);
});

it("says where a copied link opens", () => {
  const say = (address: string, isBundled = false): string =>
    sayWhereLinkOpens(new URL(address) as never, isBundled);
  for (const address of [
    "http://127.0.0.1:8270/",
    "http://localhost:1/",
    "http://[::1]:8270/",
    "file:///x/index.html",
  ])
    expect(say(address)).toBe("opens on this machine only");
  expect(say("http://node7:8270/")).toMatch(/^opens where node7 can be reached, once .* token/);
  expect(say("https://site.example/run/", true)).toBe("opens where site.example can be reached");
});
