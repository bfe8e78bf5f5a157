/** A process that may read below one directory only: where links in it lead, even if they are exchanged meanwhile. */
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FindingLog } from "../core/schema/findings.ts";
import { confinedEnvironment, pinFile } from "../input/io/confinement.ts";
import { openFile } from "../input/io/file-source.ts";
import { createScratch } from "../input/io/scratch.ts";
import { openParquet, writeParquet } from "../input/readers/parquet/index.ts";
import { findTokenizer } from "../input/tokens/find-tokenizer.ts";
import { openTokenizer } from "../input/tokens/open-tokenizer.ts";
import { openDocument } from "./open-document.ts";
import { openRun } from "./open-run.ts";
import { reportWalk } from "./report-walk.ts";
import { walk } from "./walk.ts";

let outside: string;
let root: string;
beforeEach(() => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "confined-")));
  [root, outside] = [join(folder, "root"), join(folder, "outside")];
  mkdirSync(join(root, "run"), { recursive: true });
  mkdirSync(join(outside, "hidden-folder"), { recursive: true });
  writeFileSync(join(root, "run/step_1.json"), '{"a": 1}');
  writeFileSync(join(outside, "secret.json"), '{"secret": 1}');
  writeFileSync(join(outside, "hidden-folder/secret.json"), '{"secret": 2}');
  Object.assign(process.env, confinedEnvironment([root]));
});
afterEach(() => {
  delete process.env.LOGRATIO_READ_BELOW;
  rmSync(join(root, ".."), { recursive: true });
});

const refused = { _tag: "FileSystemError", message: expect.stringContaining("leads out of the directories") };

describe("a directory", () => {
  it("is walked without the links that lead out of it, which are counted; their targets are not named", async () => {
    const run = join(root, "run");
    symlinkSync(join(outside, "secret.json"), join(run, "step_2.json"));
    symlinkSync(join(outside, "hidden-folder"), join(run, "step_3"));
    symlinkSync("step_2.json", join(run, "step_4.json"));
    symlinkSync("../../outside/none.json", join(run, "step_5.json"));
    symlinkSync(join(run, "step_1.json"), join(run, "step_6.json"));
    symlinkSync(outside, join(run, "up"));
    const found = await walk([run]);
    expect(found.files.map(({ relative }) => relative)).toEqual(["step_1.json", "step_6.json"]);
    expect(found.outside).toHaveLength(5);
    expect(found.ignored).toEqual([]);
    expect(found.unfollowed).toEqual([]);
    const findings = new FindingLog();
    reportWalk(found, findings);
    expect(findings.list()).toMatchObject([{ severity: "skipped", count: 5, code: "file-skipped" }]);
    expect(JSON.stringify(findings.list())).not.toMatch(/outside|hidden|secret/);
  });

  it("that holds nothing else says so", async () => {
    const only = join(root, "only");
    mkdirSync(only);
    symlinkSync(join(outside, "secret.json"), join(only, "step_2.json"));
    await expect(openRun([only])).rejects.toMatchObject({
      _tag: "EmptyInputError",
      likely: expect.stringMatching(/^the link there leads out of the directories that may be read/),
    });
  });

  it("that becomes a link after it was admitted is not read", async () => {
    const run = join(root, "run");
    renameSync(run, join(root, "before"));
    symlinkSync(outside, run);
    await expect(walk([run])).rejects.toMatchObject(refused);
    await expect(walk([join(run, "secret.json")])).rejects.toMatchObject(refused);
  });
});

describe("a file", () => {
  it("that became a link is refused by what was opened", async () => {
    const path = join(root, "run/step_1.json");
    await (await openFile(path)).close();
    rmSync(path);
    symlinkSync(join(outside, "secret.json"), path);
    await expect(openFile(path)).rejects.toMatchObject(refused);
    await expect(pinFile(path)).rejects.toMatchObject(refused);
  });

  it("of this process's own may be read elsewhere", async () => {
    const scratch = await createScratch();
    const path = join(scratch.path, "copy.json");
    writeFileSync(path, "{}");
    const source = await openFile(path);
    expect(source.byteLength).toBe(2);
    await source.close();
    await scratch.remove();
  });

  it.runIf(process.platform === "linux")(
    "in Parquet is read as it was opened, whatever takes its name",
    async () => {
      const scratch = await createScratch();
      const write = (path: string, value: number) =>
        writeParquet(
          path,
          [{ name: "a", type: "int32" }],
          (async function* () {
            yield { length: 1, columns: [{ values: Int32Array.of(value) }] };
          })(),
        );
      await write(join(scratch.path, "own.parquet"), 7);
      await write(join(scratch.path, "other.parquet"), 9);
      const path = join(root, "run/a.parquet");
      renameSync(join(scratch.path, "own.parquet"), path);
      renameSync(join(scratch.path, "other.parquet"), join(outside, "other.parquet"));
      const document = await openParquet(path, { forSample: true });
      rmSync(path);
      symlinkSync(join(outside, "other.parquet"), path);
      const values: unknown[] = [];
      for await (const chunk of document.chunks()) values.push(chunk.get(0, "a"));
      await document.close();
      expect(values).toEqual([7]);
      await expect(openFile(path)).rejects.toMatchObject(refused);
      await scratch.remove();
    },
  );

  it("of a memory-mapped TensorDict may not be a link", async () => {
    const folder = join(root, "run/batch");
    mkdirSync(folder);
    const entry = { device: "cpu", dtype: "torch.float32", shape: [1], is_nested: false };
    const meta = { _type: "<class 'tensordict._td.TensorDict'>", shape: [1], a: entry };
    writeFileSync(join(folder, "meta.json"), JSON.stringify(meta));
    writeFileSync(join(outside, "a.memmap"), Buffer.alloc(4));
    symlinkSync(join(outside, "a.memmap"), join(folder, "a.memmap"));
    await expect(openDocument(await openFile(join(folder, "meta.json")))).rejects.toMatchObject(refused);
  });
});

describe("a tokenizer", () => {
  it("is not read through a link, and not found above the root", async () => {
    writeFileSync(join(outside, "tokenizer.json"), '{"secret": 1}');
    mkdirSync(join(root, "model"));
    symlinkSync(join(outside, "tokenizer.json"), join(root, "model/tokenizer.json"));
    await expect(openTokenizer(join(root, "model"))).rejects.toMatchObject({ _tag: "NotFoundError" });
    await expect(openTokenizer(join(root, "model/tokenizer.json"))).rejects.toMatchObject(refused);
    mkdirSync(join(root, "train_data"));
    mkdirSync(join(root, "tokenizer"));
    writeFileSync(join(root, "tokenizer/tokenizer.json"), "{}");
    expect(await findTokenizer([join(root, "train_data")])).toBe(join(root, "tokenizer"));
    Object.assign(process.env, confinedEnvironment([join(root, "train_data")]));
    expect(await findTokenizer([join(root, "train_data")])).toBeUndefined();
  });
});
