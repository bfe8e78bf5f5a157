/**
 * Every file under `test/fixtures/adapters`, read whole, in slices of 7 bytes, and without its name: the same sequences
 * each time, or the same refusal. A new folder there is covered by being there.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative, sep } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { isLogratioError } from "../../core/base/index.ts";
import { fileNumbers } from "../../ingest/file-numbers.ts";
import { type ReadOptions, walk } from "../../ingest/index.ts";
import { isDataName } from "../../ingest/walk.ts";
import { FIXTURES, readAll } from "../../input/adapters/read.test-data.ts";

const scratch = mkdtempSync(join(tmpdir(), "logratio-three-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Of these only the name tells which dump of the trainer they are. */
const TOLD_BY_NAME = /\/rollout_data\/eval_/;

/** A directory of memory-mapped tensors is one source, which no single file of it is. */
function isMapped(folder: string): boolean {
  return readdirSync(folder).some((name) => name.endsWith(".memmap"));
}

const files = readdirSync(FIXTURES, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && isDataName(entry.name) && !/^expected.*\.json$/.test(entry.name))
  .filter((entry) => !isMapped(entry.parentPath))
  .map((entry) => relative(FIXTURES, join(entry.parentPath, entry.name)).replaceAll(sep, "/"))
  .filter((file) => !TOLD_BY_NAME.test(file))
  .sort();

/** What came out, or why nothing did, without the name that it was read under. */
async function readAs(path: string, options: ReadOptions = {}): Promise<unknown> {
  try {
    const { batches, findings, run } = await readAll(path, options);
    return {
      trainers: [...new Set(run.sources.map(({ trainer }) => trainer))],
      batches: batches.map((batch) => {
        // Where a sequence stood: names and byte offsets differ with the way in which it was read.
        const {
          provenance,
          sourceOffsets: _,
          run: __,
          ...columns
        } = batch as typeof batch & { run?: unknown };
        // SkyRL numbers the prompts of each file, and the file's name keeps those of a run apart.
        const stem = basename(path)
          .split(".")[0]!
          .replace(/_training_input$/, "");
        const groupIds = columns.groupIds?.map((id) => id?.replace(`${stem}.`, "."));
        return {
          ...columns,
          groupIds,
          provenance: { trainer: provenance.trainer, alignment: provenance.alignment },
        };
      }),
      findings: findings.map(({ code, severity, count }) => ({ code, severity, count })),
    };
  } catch (error) {
    if (!isLogratioError(error)) throw error;
    return { tag: error._tag, message: path === "-" ? error.message : error.message.replaceAll(path, "-") };
  }
}

async function* cutIntoSevens(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
}

/** Without what only a name can say, where it says something. */
function withoutNumbers(outcome: unknown, path: string): unknown {
  const { step, rank } = fileNumbers(path);
  const { batches, ...rest } = outcome as { batches?: readonly Record<string, unknown>[] };
  if (batches === undefined) return outcome;
  const hidden = { ...(step === undefined ? {} : { steps: 0 }), ...(rank === undefined ? {} : { ranks: 0 }) };
  return { ...rest, batches: batches.map((batch) => ({ ...batch, ...hidden })) };
}

function isOneObject(text: string): boolean {
  return text.trimStart().startsWith("{");
}

describe("fixtures are read the same whole, in slices of 7 bytes and without their names", () => {
  test("there are fixtures of each adapter", async () => {
    const { files: found } = await walk([FIXTURES]);
    expect(files.length).toBeGreaterThan(40);
    expect(found.length).toBeGreaterThanOrEqual(files.length);
  });

  test.each(files)("%s", async (file) => {
    const path = join(FIXTURES, file);
    const whole = withoutNumbers(await readAs(path), file);
    // Of one JSON object only the name says whether it is a row or a whole run, so of a text's name the end is kept.
    const end = /\.jsonl?$/.exec(file)?.[0] ?? "";
    const hidden = join(scratch, file.replaceAll(/\W/g, "").replaceAll(/\d/g, "") + end);
    cpSync(path, hidden);
    expect(withoutNumbers(await readAs(hidden), file)).toEqual(whole);
    // Standard input is taken for rows, as it is when a run is piped in while it is written.
    if (end === ".json" && isOneObject(readFileSync(path, "utf8"))) return;
    const stdin = cutIntoSevens(readFileSync(path));
    expect(withoutNumbers(await readAs("-", { stdin }), file)).toEqual(whole);
  });
});
