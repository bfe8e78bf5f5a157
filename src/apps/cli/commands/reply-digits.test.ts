/** Replies of servers that name tokens by text: digits are found in the texts, and what a report recommends runs. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DigitsReport } from "../../../results/digits.ts";
import type { PolicyReport } from "../../../results/policy.ts";
import { EXIT } from "../exit-status.ts";
import { type Captured, captured } from "./captured.test-data.ts";
import { type DigitsOptions, digits } from "./digits.ts";
import { report } from "./report.ts";
import { show } from "./show.ts";

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "logratio-reply-digits-"));
});
afterAll(() => rm(directory, { recursive: true }));

type Token = readonly [text: string, logprob: number];

/** A chat completion, as OpenAI and vLLM answer `logprobs: true`. */
function chat(...choices: readonly (readonly Token[])[]): object {
  return {
    object: "chat.completion",
    model: "m",
    choices: choices.map((tokens, index) => ({
      index,
      message: { role: "assistant", content: tokens.map(([text]) => text).join("") },
      logprobs: { content: tokens.map(([token, logprob]) => ({ token, logprob, top_logprobs: [] })) },
    })),
  };
}

/** A completion, as `/v1/completions` answers `logprobs: 0`. */
function completion(...tokens: readonly Token[]): object {
  const logprobs = {
    tokens: tokens.map(([text]) => text),
    token_logprobs: tokens.map(([, value]) => value),
    top_logprobs: null,
    text_offset: tokens.map((_, i) => i),
  };
  return { object: "text_completion", model: "m", choices: [{ index: 0, text: "", logprobs }] };
}

/** vLLM with `return_tokens_as_token_ids`: ids, and no texts. */
const BY_ID = chat([
  ["token_id:22", -0.5],
  ["token_id:7", -0.25],
]);

async function put(name: string, content: object): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, JSON.stringify(content));
  return path;
}

const readDigits = async (path: string, options: DigitsOptions = {}): Promise<DigitsReport> => {
  const { out } = await captured((terminal) => digits([path], { ...options, json: true }, terminal));
  return JSON.parse(out) as DigitsReport;
};

const ANSWER: readonly Token[] = [
  ["The answer is", -0.3],
  [" ", -0.1],
  ["1", -0.05],
  ["8", -0.1],
  ["6", -0.2],
  [".", -0.4],
];

describe("digits of replies without token ids", () => {
  it("are found by the texts of tokens", async () => {
    const path = await put("chat.json", chat(ANSWER));
    const found = await readDigits(path);
    expect(found.vocabulary).toMatchObject({ tokenizer: null, token_texts: true, longest_entry: 1 });
    expect(found.metrics).toMatchObject({ sequences: 1, tokens: 6, total_digits: 3, numbers: 1 });
    expect(found.metrics.ntl_loss).toBeCloseTo(0.35 / 3, 6);
    expect(found.per_sequence).toMatchObject([
      { digit_positions: [2, 3, 4], digit_ground_truth: [1, 8, 6], answer: "186" },
    ]);
    const { out } = await captured((terminal) => digits([path], {}, terminal));
    expect(out).toContain("digits by the texts of tokens");
  });

  it("are read with fractions, signs, spaces and entries of several digits, in every form of a reply", async () => {
    const tokens: readonly Token[] = [
      [" -", -1],
      ["3", -0.5],
      [".", -1],
      ["25", -0.25],
      [" 7", -0.75],
      ["\u2581" + "4", -0.125],
    ];
    const found = await readDigits(await put("completion.json", completion(...tokens)));
    expect(found.metrics).toMatchObject({ total_digits: 3, multi_digit_tokens: 1, numbers: 3 });
    expect(found.metrics.avg_digit_log_prob).toBeCloseTo(-(0.5 + 0.75 + 0.125) / 3, 6);
    expect(found.per_sequence![0]!.digit_ground_truth).toEqual([3, 7, 4]);
    expect(found.per_place.map(({ place }) => place)).toEqual([0]);
  });

  it("need a tokenizer where a reply has ids only, and say so where there are none", async () => {
    await expect(readDigits(await put("ids.json", BY_ID))).rejects.toMatchObject({
      _tag: "UsageError",
      message: "finding the digits needs the model's tokenizer",
      hint: expect.stringContaining("--tokenizer DIR"),
    });
    await expect(readDigits(await put("none.json", chat([["no", -1]])))).rejects.toMatchObject({
      _tag: "EmptyInputError",
      message: expect.stringContaining("one of the texts 0 to 9"),
      likely: "the run contains no numbers",
    });
  });
});

/** Runs a command that a report recommends; `view` would wait for a browser. */
async function runRecommended(command: string): Promise<Captured> {
  const [, verb, ...rest] = command.split(" ");
  if (verb === "digits") return captured((terminal) => digits(rest, {}, terminal));
  if (verb === "show") return captured((terminal) => show(rest, {}, terminal));
  throw new Error(`no test runs ${verb}`);
}

describe("the commands that a report recommends for a reply", () => {
  it.each([
    ["digits in texts", chat(ANSWER, [["4", -0.5]]), ["show", "digits", "view"]],
    ["a completion", completion(...ANSWER), ["show", "digits", "view"]],
    ["no digits", chat([["no", -1]]), ["show", "view"]],
    ["only ids", BY_ID, ["show", "view"]],
  ])("run: %s", async (name, content, verbs) => {
    const path = await put(`${name.replace(/ /g, "-")}.json`, content);
    const { out } = await captured((terminal) => report([path], { json: true }, terminal));
    const commands = (JSON.parse(out) as PolicyReport).next.map(({ command }) => command);
    expect(commands.map((command) => command.split(" ")[1])).toEqual(verbs);
    for (const command of commands) {
      expect(command).not.toMatch(/[A-Z]_DIR/);
      if (!command.startsWith("logratio view"))
        expect((await runRecommended(command)).status).toBe(EXIT.fine);
    }
  });
});
