/**
 * A run in which every text tries to be something else: markup, scripts, text that reverses the line, half characters.
 *
 * @module
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "./run-cli.ts";

const SCRIPT = "<script>globalThis.hacked = 1</script>";
const IMAGE = `"><img src=x onerror="globalThis.hacked = 1">`;

/** Texts of single tokens. */
export const HOSTILE_TEXTS = [
  SCRIPT,
  IMAGE,
  "<svg onload='globalThis.hacked = 1'></svg>",
  "</span></div></main><h1>not ours</h1>",
  "<style>* { display: none }</style>",
  "&lt;b&gt;&#60;i>",
  "\u202Egnirts desrever",
  "\u2067isolated\u202B",
  "\u200B\u200D\uFEFF",
  "\uD83D",
  "\uDE00",
  "\0\b\u001B[31m",
  `${"\n".repeat(10_000)}`,
  "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘!͖̬̰̙̗̿̋ͥͥ̂ͣ̐́́͜͞",
  "x".repeat(20_000),
  "javascript:globalThis.hacked=1",
  "y".repeat(200_000),
  '</script><img src="//elsewhere.invalid/x" onerror="alert(1)">',
  "{{constructor.constructor('globalThis.hacked=1')()}}",
] as const;

export const RIGHT_TO_LEFT = HOSTILE_TEXTS.findIndex((text) => text.startsWith("\u202E"));
const NEWLINE = 17;

export interface HostileRun {
  readonly path: string;
  readonly tokenizer: string;
}

/** Two sequences: one of all these texts, one of 10,000 newlines. */
export async function writeHostileRun(folder: string): Promise<HostileRun> {
  const tokenizer = join(folder, "tokenizer");
  await mkdir(tokenizer, { recursive: true });
  const source = await readFile(join(ROOT, "examples/demo/tokenizer/tokenizer.json"), "utf8");
  const made = JSON.parse(source) as { added_tokens: unknown[]; model: { vocab: object } };
  const from = Object.keys(made.model.vocab).length;
  const plain = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: false };
  made.added_tokens.push(...HOSTILE_TEXTS.map((content, at) => ({ id: from + at, content, ...plain })));
  await writeFile(join(tokenizer, "tokenizer.json"), JSON.stringify(made));

  const lines = [HOSTILE_TEXTS.map((_, at) => from + at), new Array<number>(10_000).fill(NEWLINE)].map(
    (ids, row) =>
      JSON.stringify({
        step: row + 1,
        sample_id: `${SCRIPT}${row}`,
        group_id: `${IMAGE} \u202E group`,
        environment: `<b onmouseover="globalThis.hacked = 1">${row}</b>\n\n`,
        prompt_ids: ids.slice(0, 20),
        response_ids: ids,
        response_mask: ids.map((_, at) => (at % 7 === 3 ? 0 : 1)),
        rollout_log_probs: ids.map((_, at) => -1 - (at % 5)),
        old_log_probs: ids.map((_, at) => -1.2 - (at % 3)),
      }),
  );
  const run = join(folder, "<img src=x onerror='globalThis.hacked=1'>");
  await mkdir(run);
  const path = join(run, "\u202E<b>.jsonl");
  await writeFile(path, `${lines.join("\n")}\n`);
  return { path: run, tokenizer };
}
