import { expect, it } from "vitest";
import { checkpointParam, readChoices, toPart } from "./choices.ts";

const CHECKPOINTS = ["sft", "rlvr_step_100", "rlvr_step_1000"];

it("without parameters, is the whole study at its last checkpoint", () => {
  expect(readChoices({}, CHECKPOINTS)).toEqual({
    part: "study",
    text: undefined,
    token: undefined,
    checkpoint: 2,
    allLines: false,
    find: "",
    answer: "all",
    order: { key: "index", descending: false },
  });
});

it("reads the address, and ignores what is unreadable", () => {
  const params = { text: "12", token: "40", checkpoint: "sft", lines: "all", order: "-kl", answer: "wrong" };
  expect(readChoices(params, CHECKPOINTS)).toMatchObject({
    part: "text",
    text: 12,
    token: 40,
    checkpoint: 0,
    allLines: true,
    answer: "wrong",
    order: { key: "kl", descending: true },
  });
  const wrong = { text: "-1", token: "4", checkpoint: "none", order: "toString", answer: "maybe", part: "x" };
  expect(readChoices(wrong, CHECKPOINTS)).toMatchObject({
    part: "study",
    text: undefined,
    token: undefined,
    checkpoint: 2,
    answer: "all",
    order: { key: "index", descending: false },
  });
});

it("goes to a part without the parameters of other parts", () => {
  expect(toPart("text", 3)).toEqual({ part: "texts", text: "3", token: undefined, lines: undefined });
  expect(toPart("texts")).toMatchObject({ part: "texts", text: undefined });
  expect(toPart("study")).toMatchObject({ part: undefined, text: undefined });
});

it("names a checkpoint unless it is the last one", () => {
  expect([0, 2].map((at) => checkpointParam(CHECKPOINTS, at))).toEqual(["sft", undefined]);
});
