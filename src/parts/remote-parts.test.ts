import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startStore, type TestStore } from "../input/remote/object-store.test-data.ts";
import type { ReportSums } from "./kinds/report-sums.ts";
import { mergePaths } from "./merge-parts.ts";
import { encodePart } from "./part-bytes.ts";
import { areParts, findParts, readPart } from "./part-files.ts";
import { summarizeInto } from "./summarize-into.ts";
import { openShardReader } from "./summarize-shards.ts";

let folder = "";
let store: TestStore;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-remote-parts-"));
  store = await startStore();
  vi.stubEnv("AWS_ENDPOINT_URL", store.url);
  vi.stubEnv("AWS_ACCESS_KEY_ID", "key");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
  for (const step of ["0010", "0020"]) {
    const out = join(folder, `${step}.lrs`);
    const reader = await openShardReader([`examples/demo/stale/step_${step}.npz`], { threads: 1 });
    await summarizeInto(reader, { out });
    store.objects.set(`parts/${step}.lrs`, await readFile(out));
  }
  store.objects.set("parts/notes.txt", Buffer.from("about"));
  store.objects.set("dumps/notes.txt", Buffer.from("about"));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await store.close();
  await rm(folder, { recursive: true });
});

describe("parts in a store", () => {
  it("are found under a prefix by their ending, and merged as those on disk are", async () => {
    const paths = ["s3://bucket/parts/0010.lrs", "s3://bucket/parts/0020.lrs"];
    expect(await findParts(["s3://bucket/parts"])).toEqual(paths);
    expect(await findParts([paths[1]!])).toEqual([paths[1]]);
    const merged = await mergePaths("report", ["s3://bucket/parts"]);
    const local = await mergePaths("report", [folder]);
    expect(merged.sums.sequences).toBe(128);
    expect(Buffer.from(await encodePart(merged))).toEqual(Buffer.from(await encodePart(local)));
  });

  it("are missed by the name of the prefix where there are none", async () => {
    await expect(findParts(["s3://bucket/dumps"])).rejects.toMatchObject({
      _tag: "UsageError",
      message: expect.stringContaining("s3://bucket/dumps contains no parts") as string,
    });
    // Whether a remote prefix holds parts is decided by the ending of its name, without a request.
    expect(await areParts(["s3://bucket/parts"])).toBe(false);
    expect(await areParts(["s3://bucket/parts/0010.lrs"])).toBe(true);
  });

  it("are read whole from a server that sends no ranges", async () => {
    store.ignoresRanges = true;
    const part = await readPart(`${store.url}/bucket/parts/0010.lrs`);
    store.ignoresRanges = false;
    expect((part.sums as ReportSums).sequences).toBe(64);
  });
});
