import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { googleStore } from "./gs-store.ts";
import { hubStore } from "./hf-store.ts";

let home = "";
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "credentials-"));
});
afterAll(() => rm(home, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

const signal = new AbortController().signal;

it("does not go on without the token of a login that cannot be read", async () => {
  await mkdir(join(home, "token"));
  vi.stubEnv("HF_TOKEN", "");
  vi.stubEnv("HF_HOME", home);
  await expect(hubStore("hf://datasets/o/n").list(1, signal)).rejects.toMatchObject({
    _tag: "FileSystemError",
    at: { file: join(home, "token") },
  });
});

it("does not go on without Google's credentials that were named", async () => {
  const file = join(home, "key.json");
  vi.stubEnv("STORAGE_EMULATOR_HOST", "");
  vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", file);
  const tag = async (): Promise<unknown> =>
    googleStore("bucket", "key")
      .list(1, signal)
      .then(
        () => undefined,
        (error: unknown) => [(error as { _tag: string })._tag, (error as { at: object }).at],
      );
  expect(await tag()).toEqual(["NotFoundError", { file }]);
  await writeFile(file, "not JSON");
  expect(await tag()).toEqual(["FileSystemError", { file }]);
});
