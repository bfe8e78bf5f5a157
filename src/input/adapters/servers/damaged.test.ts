import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { isLogratioError } from "../../../core/base/errors.ts";
import { FindingLog } from "../../../core/schema/findings.ts";
import { findMisfit } from "../../../core/schema/sequence-draft.ts";
import { openDocument } from "../../../ingest/open-document.ts";
import { memorySource } from "../../io/file-source.ts";
import { FIXTURES } from "../read.test-data.ts";
import { servers } from "./index.ts";

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const WRONG: readonly Json[] = [null, 7, -1.5, "text", [], {}, [1, null], [{ token: 3 }], { a: [1] }, false];

/** The value with one thing in it replaced, for each thing in it, by each wrong value in turn. */
function* damage(root: Json): Generator<Json> {
  const holders: [Json[] | { [name: string]: Json }, string | number][] = [];
  const visit = (value: Json): void => {
    if (typeof value !== "object" || value === null) return;
    for (const key of Object.keys(value)) {
      holders.push([value as { [name: string]: Json }, key]);
      visit((value as { [name: string]: Json })[key]!);
    }
  };
  visit(root);
  for (const [at, [holder, key]] of holders.entries()) {
    const map = holder as { [name: string]: Json };
    const before = map[key]!;
    map[key] = WRONG[at % WRONG.length]!;
    yield root;
    map[key] = before;
  }
}

async function readQuietly(text: string): Promise<number> {
  let read = 0;
  try {
    const document = await openDocument(memorySource("a.json", Buffer.from(text)));
    const match = await servers.detect(document);
    if (match?.onePolicy === undefined) return 0;
    const reading = await servers.read(document, { findings: new FindingLog(), blockTokens: 10 });
    for await (const block of reading.blocks) {
      for (const draft of block) {
        const { responseTokens, promptLogprobs: prompt } = draft;
        expect(findMisfit(draft)).toBeUndefined();
        if (responseTokens !== undefined) expect(responseTokens).toHaveLength(draft.length);
        if (prompt?.tokenIds !== undefined) expect(prompt.tokenIds).toHaveLength(prompt.logprobs.length);
        if (prompt?.tokens !== undefined) expect(prompt.tokens).toHaveLength(prompt.logprobs.length);
        read++;
      }
    }
  } catch (error) {
    if (!isLogratioError(error)) throw error;
  }
  return read;
}

const names = readdirSync(`${FIXTURES}servers`).filter((name) => /\.jsonl?$/.test(name));

it.each(names)("%s with any of its values replaced is read or refused, and arrays fit", async (name) => {
  const text = readFileSync(`${FIXTURES}servers/${name}`, "utf8");
  const root = JSON.parse(name.endsWith("l") ? `[${text.trim().split("\n").join(",")}]` : text) as Json;
  let read = 0;
  for (const damaged of damage(root)) read += await readQuietly(JSON.stringify(damaged));
  // Most damage concerns one token or field, and the rest is still there.
  if (!/without|logits/.test(name)) expect(read).toBeGreaterThan(1);
});
