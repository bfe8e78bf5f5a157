import { cp, mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isLogratioError } from "../../../core/base/errors.ts";
import { isTensor } from "../../io/tree-guards.ts";
import { openMemmap } from "./memmap.ts";

const FIXTURE = fileURLToPath(
  new URL("../../../../test/fixtures/adapters/verl/pickles/memmap/step_12", import.meta.url),
);
let folder = "";

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "logratio-")), "td");
  await cp(FIXTURE, folder, { recursive: true });
});
afterEach(() => rm(join(folder, ".."), { recursive: true }));

const meta = (): string => join(folder, "meta.json");

async function failure(): Promise<Record<string, unknown>> {
  try {
    await (await openMemmap(meta())).close();
  } catch (error) {
    if (isLogratioError(error)) return { tag: error._tag, message: error.message, file: error.at.file };
    throw error;
  }
  throw new Error("it was read");
}

async function describeAs(columns: object): Promise<void> {
  await writeFile(meta(), JSON.stringify({ ...columns, _type: "<class 'tensordict._td.TensorDict'>" }));
}

describe("memory-mapped TensorDicts", () => {
  it("give tensors from their files, and values from their descriptions", async () => {
    const { root, close, format } = await openMemmap(meta());
    const { rollout_log_probs: logprobs, uid } = root;
    expect(format).toBe("memmap");
    expect(isTensor(logprobs) && [logprobs.dtype, logprobs.shape]).toEqual(["float32", [3, 8]]);
    expect(isTensor(logprobs) && (await logprobs.readRows(1, 2)).length).toBe(8);
    expect(uid).toEqual(["g0", "g0", "g1"]);
    await close();
  });

  it("say when a file is shorter than its tensor", async () => {
    await truncate(join(folder, "old_log_probs.memmap"), 90);
    expect(await failure()).toEqual({
      tag: "FormatError",
      message: "old_log_probs of shape [3, 8] needs 96 bytes, its file has 90",
      file: join(folder, "old_log_probs.memmap"),
    });
  });

  it("say which file is absent", async () => {
    await rm(join(folder, "old_log_probs.memmap"));
    expect(await failure()).toMatchObject({ tag: "NotFoundError" });
  });

  it("do not lead out of their directory", async () => {
    await describeAs({ "../../secret": { dtype: "torch.uint8", shape: [4] } });
    expect(await failure()).toMatchObject({
      tag: "FormatError",
      message: expect.stringContaining('names a column "../../secret", which is not a file name'),
    });
  });

  it("refuse shapes that no file has", async () => {
    await describeAs({ prompts: { dtype: "torch.int64", shape: [2 ** 40, 2 ** 40] } });
    expect(await failure()).toMatchObject({ tag: "LimitError" });
    await describeAs({ prompts: { dtype: "torch.int64", shape: [-3, 6] } });
    expect(await failure()).toMatchObject({ tag: "FormatError" });
    await describeAs({ prompts: { dtype: "torch.int64" } });
    expect(await failure()).toMatchObject({ message: "prompts has no shape" });
  });

  it("keep by name what is not read", async () => {
    await describeAs({ prompts: { dtype: "torch.complex64", shape: [3, 6] } });
    const { root, close } = await openMemmap(meta());
    expect(root.prompts).toMatchObject({ kind: "object", className: "torch.complex64" });
    await close();
  });

  it("say when the description is cut off", async () => {
    await writeFile(meta(), '{"prompts": {');
    expect(await failure()).toMatchObject({
      message: "the description of a memory-mapped TensorDict is not a JSON object",
    });
  });
});
