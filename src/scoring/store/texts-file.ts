/**
 * `texts.jsonl`: the tokenized texts of a study, one object per line.
 *
 * @module
 */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { FormatError, NotFoundError } from "../../core/base/index.ts";
import { writeWholeFile } from "../../input/io/index.ts";
import type { PreparedText } from "../texts/index.ts";
import { makeStudyDirectory, paths } from "./manifest.ts";

export async function writeTexts(dir: string, texts: readonly PreparedText[]): Promise<void> {
  const lines = texts.map((text) =>
    JSON.stringify({
      ...text,
      promptIds: Array.from(text.promptIds),
      tokenIds: Array.from(text.tokenIds),
      mask: Array.from(text.mask),
    }),
  );
  await makeStudyDirectory(dir);
  await writeWholeFile(paths.texts(dir), `${lines.join("\n")}\n`);
}

/** @throws NotFoundError, FormatError */
export async function readTexts(dir: string): Promise<PreparedText[]> {
  const file = paths.texts(dir);
  const texts: PreparedText[] = [];
  let line = 0;
  try {
    for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
      line++;
      if (text !== "") texts.push(parse(text));
    }
  } catch (cause) {
    if (cause instanceof SyntaxError || cause instanceof TypeError) {
      throw new FormatError(`the study's texts cannot be read: ${cause.message}`, {
        at: { file, line },
        likely: "the file was edited by hand",
        hint: "run logratio score again with the inputs of the study: scores that fit are kept",
        cause,
      });
    }
    throw new NotFoundError(`the study has no texts: ${cause instanceof Error ? cause.message : ""}`, {
      at: { file },
      hint: "give the directory that logratio score wrote",
      cause,
    });
  }
  return texts;
}

interface Line extends Omit<PreparedText, "promptIds" | "tokenIds" | "mask"> {
  readonly promptIds: readonly number[];
  readonly tokenIds: readonly number[];
  readonly mask: readonly number[];
}

function parse(line: string): PreparedText {
  const value = JSON.parse(line) as Line;
  return {
    ...value,
    promptIds: Int32Array.from(value.promptIds),
    tokenIds: Int32Array.from(value.tokenIds),
    mask: Uint8Array.from(value.mask),
  };
}
