import { createHash } from "node:crypto";
import type { LogRecord } from "./parse-line.ts";
import type { RowWriter } from "./row-writer.ts";

/**
 * Adds to each record `prompt_key`, a number that is the same for the same prompt (its text as logged and its number of
 * tokens, as logged texts are cut), so that the text itself need not be held; and `response_key`, the same for tokens of
 * one response: ranks number their rows alike, so that `batch_idx` alone would merge responses of several.
 */
export function withKeys(writer: RowWriter): Pick<RowWriter, "add" | "rows"> {
  return {
    get rows() {
      return writer.rows;
    },
    add: (record, file, line) => {
      const [prompt, response] = [promptKey(record), responseKey(record)];
      return writer.add(
        {
          ...record,
          ...(prompt !== undefined && { prompt_key: prompt }),
          ...(response !== undefined && { response_key: response }),
        },
        file,
        line,
      );
    },
  };
}

/** 48 bits of SHA-1: two of 100,000 prompts meet by chance once in 50,000 logs. Undefined where the prompt is not known. */
function promptKey({ prompt_text: text, prompt_num_tokens: tokens }: LogRecord): number | undefined {
  return typeof text === "string" && text !== "" ? hashKey(`${String(tokens)} ${text}`) : undefined;
}

/** Of the dump's file and the handle without its token. Undefined where the log has no handles. */
function responseKey({ handle, file }: LogRecord): number | undefined {
  if (typeof handle !== "string" || handle === "") return undefined;
  return hashKey(`${String(file ?? "")} ${handle.replace(/\.t\d+$/, "")}`);
}

function hashKey(text: string): number {
  return createHash("sha1").update(text).digest().readUIntBE(0, 6);
}
