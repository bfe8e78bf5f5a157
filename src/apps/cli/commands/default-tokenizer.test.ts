import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openRun } from "../../../ingest/open-run.ts";
import { withTokenizer } from "./default-tokenizer.ts";
import { formatExplanation } from "./explain.ts";

const fixture = (path: string): string => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-dump-"));
  await cp(fixture("test/fixtures/adapters/slime/details"), folder, { recursive: true });
  await cp(fixture("examples/demo/tokenizer"), join(folder, "tokenizer"), { recursive: true });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it("is the one beside the dumps, unless another was given or texts are not wanted", async () => {
  const beside = join(folder, "tokenizer");
  expect(await withTokenizer([folder], {})).toEqual({ tokenizer: beside });
  for (const given of [{ tokenizer: "mine" }, { digitIds: "1,2" }, { redact: "text" }])
    expect(await withTokenizer([folder], given)).toEqual(given);
});

it("--explain says where it was found, and what was joined to what", async () => {
  const text = formatExplanation(await openRun([folder]), join(folder, "tokenizer"));
  expect(text).toContain(
    `tokenizer ${join(folder, "tokenizer")}, found beside the dumps: as if given with --tokenizer\n`,
  );
  expect(text).toContain("group, prompt and versions: joined from 12.pt of the rollout dump by sample index");
});
