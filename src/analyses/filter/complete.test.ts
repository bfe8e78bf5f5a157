import { describe, expect, it } from "vitest";
import { completeFilter } from "./complete.ts";
import { fieldValues } from "./field-values.ts";
import { FIELDS, fieldNamed } from "./fields.ts";
import { madeTable } from "./made-table.test-data.ts";

const table = madeTable([
  { step: 10, environment: "math", finish_reason: "stop", correct: 1, reward: 1, delta_abs_mean: 0.1 },
  { step: 10, environment: "math", finish_reason: "length", correct: 0, reward: 0, delta_abs_mean: 0.2 },
  { step: 20, environment: "code golf", finish_reason: "stop", reward: 0, delta_abs_mean: 0.3 },
  { step: 20, environment: "math", finish_reason: "stop", correct: 0, reward: 1, delta_abs_mean: 0.4 },
]);
const saved = [
  { name: "wrong and long", filter: "correct:no finish:length" },
  { name: "either", filter: "abs>1 | turn:2" },
];

/** `|` in a text cannot be the caret here; `^` is. */
function complete(marked: string, filters = saved): { label: string; help: string; result: string }[] {
  const caret = marked.indexOf("^");
  const text = marked.replace("^", "");
  const valuesOf = (field: (typeof FIELDS)[number]) => fieldValues(field, table, 3);
  return completeFilter(text, caret, { valuesOf, saved: filters }).map((each) => ({
    label: each.label,
    help: each.help,
    result: `${each.text.slice(0, each.caret)}^${each.text.slice(each.caret)}`,
  }));
}
const labels = (marked: string): string[] => complete(marked).map(({ label }) => label);
const results = (marked: string): string[] => complete(marked).map(({ result }) => result);

describe("fields", () => {
  it("are those that begin so, then other names of them, then those that have it within", () => {
    expect(labels("rou^")).toEqual(["turn", "turns", "group"]);
    expect(labels("row^")).toEqual(["row"]);
    expect(labels("ab^").slice(0, 1)).toEqual(["abs"]);
    expect(labels("environ^")).toEqual(["env"]);
    expect(labels("logp^")).toEqual(["logp", "mean_logp"]);
    expect(labels("zzz^")).toEqual([]);
  });

  it("come with the one line that the table of fields has, and the operator of its example", () => {
    const [abs] = complete("correct:no ab^");
    expect(abs).toEqual({
      label: "abs",
      help: "|Δ| of the token, nats · abs>0.5",
      result: "correct:no abs>^",
    });
    for (const field of FIELDS) {
      const own = complete(`${field.name.slice(0, -1)}^`, []).find(({ label }) => label === field.name);
      if (own !== undefined) expect(field.example.startsWith(own.result.replace("^", ""))).toBe(true);
    }
  });

  it("are offered behind blanks, marks and minus, and replace what is left of the word", () => {
    expect(results("(env:math | -co^)")[0]).toBe("(env:math | -correct:^)");
    expect(results("co^rre turn:1")[0]).toBe("correct:^ turn:1");
    expect(labels("^")).toHaveLength(12);
    expect(labels("env:math ^")[0]).toBe("abs");
  });
});

describe("values", () => {
  it("are those of the run, the most frequent first, with how often they occur", () => {
    expect(complete("env:^").map(({ label, help }) => [label, help])).toEqual([
      ["math", "3 sequences"],
      ["code golf", "1 sequence"],
    ]);
    expect(labels("step:^")).toEqual(["10", "20"]);
    expect(labels("turn:^")).toEqual(["0", "1", "2"]);
    expect(labels("is:nu^")).toEqual(["number"]);
    expect(labels("correct:^")).toEqual(["no", "yes", "none"]);
    expect(labels("engine:^")).toEqual(["none"]);
  });

  it("are written as they must be, after commas and quotes too", () => {
    expect(results("env:go^")).toEqual(['env:"code golf"^']);
    expect(results('env:"code^')).toEqual(['env:"code golf"^']);
    expect(results('env:"co^de" turn:1')).toEqual(['env:"code golf"^ turn:1']);
    expect(results("finish:stop,^")).toEqual(["finish:stop,length^"]);
    expect(results("-finish=le^ng abs>1")).toEqual(["-finish=length^ abs>1"]);
    expect(results("correct:non^")).toEqual(["correct:none^"]);
  });

  it("are not offered where they are written already, nor of figures that hardly repeat", () => {
    expect(results("env:math^")).toEqual([]);
    expect(labels("mean_abs>^")).toEqual([]);
    expect(labels("nofield:^")).toEqual([]);
    expect(labels('"some text^')).toEqual([]);
  });
});

describe("saved filters", () => {
  it("are found by their names, and joined to what stands before them", () => {
    expect(complete("wrong^").at(-1)).toEqual({
      ...{ label: "wrong and long", help: "correct:no finish:length" },
      result: "correct:no finish:length^",
    });
    expect(results("turn:1 eithe^")).toEqual(["turn:1 (abs>1 | turn:2)^"]);
    expect(results("eithe^ turn:1")).toEqual([]);
  });
});

it("counts what is missing as none, and lists no number that is different everywhere", () => {
  const values = fieldValues(fieldNamed("correct")!, table, 3);
  expect(values.find(({ value }) => value === "none")?.help).toBe("1 sequence");
  const many = madeTable(Array.from({ length: 2500 }, (_, at) => ({ step: at >> 1, reward: at % 3 })));
  expect(fieldValues(fieldNamed("step")!, many, 1)).toEqual([]);
  expect(fieldValues(fieldNamed("reward")!, many, 1).map(({ value }) => value)).toEqual(["0", "1", "2"]);
});
