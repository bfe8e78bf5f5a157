/** Tests each kind of address against a store on this machine, through the clients that read real stores. */
import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openRun } from "../../ingest/open-run.ts";
import { FIXTURES } from "../adapters/read.test-data.ts";
import { findRemote, isRemote, nameRemote } from "./index.ts";
import { startStore, type TestStore } from "./object-store.test-data.ts";

const DEMO = new URL("../../../examples/demo/stale/step_0010.npz", import.meta.url);
const PARQUET = `${FIXTURES}verl/rows.parquet`;

let store: TestStore;

beforeEach(async () => {
  store = await startStore();
  vi.stubEnv("AWS_ENDPOINT_URL", store.url);
  vi.stubEnv("AWS_ACCESS_KEY_ID", "key");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
  vi.stubEnv("AWS_CONFIG_FILE", "/nowhere");
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere");
  vi.stubEnv("STORAGE_EMULATOR_HOST", store.url);
  vi.stubEnv("HF_ENDPOINT", store.url);
  vi.stubEnv("HF_TOKEN", "hf_secret");
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await store.close();
});

/** Token count and the sum of all differences: equal only if every value was read. */
async function measure(paths: readonly string[]): Promise<{ tokens: number; sum: number; steps: number[] }> {
  const run = await openRun(paths);
  let tokens = 0;
  let sum = 0;
  const steps = new Set<number>();
  for await (const { trainerLogprobs, rolloutLogprobs, responseMask, steps: of } of run.batches()) {
    for (const step of of ?? []) steps.add(step);
    for (const [t, on] of responseMask.entries()) {
      if (on === 0) continue;
      tokens++;
      sum += trainerLogprobs![t]! - rolloutLogprobs![t]!;
    }
  }
  return { tokens, sum, steps: [...steps] };
}

async function fill(): Promise<void> {
  for (const step of ["0010", "0020"]) {
    const name = `step_${step}.npz`;
    store.objects.set(`runs/a/${name}`, await readFile(new URL(name, DEMO)));
  }
  store.objects.set("runs/a/README.md", Buffer.from("# about"));
  store.objects.set("runs/a/.hidden/step_0030.npz", Buffer.from("not looked at"));
}

const LOCAL = ["0010", "0020"].map((step) => new URL(`step_${step}.npz`, DEMO).pathname);

describe.each(["s3://bucket/runs/a", "gs://bucket/runs/a/", "hf://datasets/me/runs/runs/a"])(
  "%s",
  (address) => {
    it("is read as the same files on disk are", async () => {
      await fill();
      store.pageSize = 2;
      expect(await measure([address])).toEqual(await measure(LOCAL));
      const run = await openRun([address]);
      const base = address.replace(/\/$/, "");
      expect(run.sources.map(({ file, run: name, step }) => [file, name, step])).toEqual([
        [`${base}/step_0010.npz`, "a", 10],
        [`${base}/step_0020.npz`, "a", 20],
      ]);
      expect(run.ignored).toEqual([`${base}/README.md`]);
    });

    it("names one file", async () => {
      await fill();
      const file = `${address.replace(/\/$/, "")}/step_0010.npz`;
      expect(await findRemote(file)).toMatchObject([{ path: file, relative: "" }]);
      expect(await measure([file])).toEqual(await measure([LOCAL[0]!]));
    });

    it("counts a file once that is named beside its folder", async () => {
      await fill();
      const file = `${address.replace(/\/$/, "")}/step_0010.npz`;
      const run = await openRun([address, file]);
      expect(run.sources).toHaveLength(2);
      expect(run.findings.list().map(({ message }) => message)).toContain(
        `${file} was given twice: counted once`,
      );
    });

    it("is asked for small ranges, again where the body breaks off in its middle", async () => {
      await fill();
      const whole = await measure(LOCAL);
      // Blocks that other tests have read are still kept.
      const files = ["step_0010.npz", "step_0020.npz"].map((name) => {
        store.objects.set(`runs/a/cut/${name}`, store.objects.get(`runs/a/${name}`)!);
        return `${address.replace(/\/$/, "")}/cut/${name}`;
      });
      store.faults.push("cut", 503, "hang-up");
      expect(await measure(files)).toEqual(whole);
      expect(store.faults).toEqual([]);
      const ranges = store.requests.filter(({ range }) => range !== undefined);
      // Two files of one block each, and three requests that failed.
      expect(ranges.map(({ range }) => range)).toHaveLength(5);
    });

    it("says what the store refuses, and where credentials come from", async () => {
      await fill();
      store.listFaults.push(403, 403);
      await expect(openRun([address])).rejects.toMatchObject({
        _tag: "FileSystemError",
        message: expect.stringMatching(/^the store refuses to read .*runs\/a\/?: .+ \(403\)$/),
        hint: expect.stringMatching(/AWS_ACCESS_KEY_ID|GOOGLE_APPLICATION_CREDENTIALS|HF_TOKEN/),
      });
    });

    it("says that nothing is there", async () => {
      await expect(openRun([address])).rejects.toMatchObject({ _tag: "NotFoundError" });
    });

    it("says that the store cannot be reached", async () => {
      const nowhere = "http://127.0.0.1:9";
      for (const name of ["AWS_ENDPOINT_URL", "STORAGE_EMULATOR_HOST", "HF_ENDPOINT"])
        vi.stubEnv(name, nowhere);
      await expect(openRun([address])).rejects.toMatchObject({
        _tag: "FileSystemError",
        message: expect.stringMatching(
          /^cannot reach the store of .*runs\/a\/?: .*(ECONNREFUSED|bad port).*, 5 times$/,
        ),
        likely: "this machine cannot reach that host, or the address is misspelled",
        hint: "try the same address with curl from this machine, or copy the files here and give their path",
      });
    });

    it("reads Parquet, which DuckDB opens by path, from a copy on disk", async () => {
      store.objects.set("runs/a/rows.parquet", await readFile(PARQUET));
      expect(await measure([address])).toEqual(await measure([PARQUET]));
      const ranges = store.requests.filter(({ range }) => range !== undefined);
      expect(ranges).toHaveLength(1);
      store.objects.set("runs/a/rows.parquet", Buffer.from("PAR1 and no more PAR1"));
      store.generation = "2";
      await expect(openRun([address])).rejects.toMatchObject({
        at: { file: expect.stringMatching(/^(s3|gs|hf):.*\/rows\.parquet$/) },
      });
    });
  },
);

describe("s3://", () => {
  it("signs with the environment's credentials", async () => {
    await fill();
    await openRun(["s3://bucket/runs/a"]);
    const [first] = store.requests;
    expect(first?.headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=key\/\d{8}\/eu-central-1\/s3\//,
    );
  });

  it("reads public buckets without any", async () => {
    await fill();
    vi.stubEnv("AWS_ACCESS_KEY_ID", undefined);
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", undefined);
    expect(await measure(["s3://bucket/runs/a"])).toEqual(await measure(LOCAL));
    expect(store.requests.map(({ headers }) => headers.authorization)).not.toContain(expect.anything());
  });

  it("says that an object changed between two of its ranges", async () => {
    store.objects.set("big.npz", new Uint8Array(6 << 20));
    const [found] = await findRemote("s3://bucket/big.npz");
    const source = found!.object.open();
    if (!("slice" in source)) throw new Error("it can be read by ranges");
    await source.slice(5 << 20, 6 << 20);
    store.objects.set("big.npz", new Uint8Array(6 << 20).fill(1));
    await expect(source.slice(0, 1)).rejects.toMatchObject({
      _tag: "FormatError",
      message: "s3://bucket/big.npz changed while it was read",
      likely: "the trainer is still writing it",
    });
  });
});

describe("hf://", () => {
  it("sends the token, and only says its name", async () => {
    await fill();
    await openRun(["hf://datasets/me/runs/runs/a"]);
    expect(new Set(store.requests.map(({ headers }) => headers.authorization))).toEqual(
      new Set(["Bearer hf_secret"]),
    );
  });

  it("needs a repository", async () => {
    await expect(openRun(["hf://datasets/me"])).rejects.toMatchObject({
      _tag: "UsageError",
      message: "hf://datasets/me does not name a repository of the Hugging Face Hub",
    });
  });
});

describe("http://", () => {
  it("reads a file by ranges, and keeps signed queries and passwords out of what it says", async () => {
    await fill();
    const address = `${store.url.replace("//", "//user:pass@")}/files/runs/a/step_0010.npz?signature=secret`;
    const run = await openRun([address]);
    expect(run.sources[0]?.file).toBe(`${store.url}/files/runs/a/step_0010.npz`);
    expect(await measure([address])).toEqual(await measure([LOCAL[0]!]));
    expect(store.requests[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from("user:pass").toString("base64")}`,
    );
  });

  it("reads a server that sends whole files only once, from front to back", async () => {
    store.ignoresRanges = true;
    const rows = await readFile(`${FIXTURES}verl/rows.jsonl`);
    store.objects.set("rows.jsonl.gz", gzipSync(rows));
    store.objects.set("step_0010.npz", await readFile(DEMO));
    expect(await measure([`${store.url}/files/rows.jsonl.gz`])).toEqual(
      await measure([`${FIXTURES}verl/rows.jsonl`]),
    );
    expect(await measure([`${store.url}/files/step_0010.npz`])).toEqual(await measure([LOCAL[0]!]));
  });

  it("knows an empty file", async () => {
    store.objects.set("empty.jsonl", new Uint8Array());
    await expect(openRun([`${store.url}/files/empty.jsonl`])).rejects.toMatchObject({
      _tag: "EmptyInputError",
    });
  });

  it("says that an address does not exist", async () => {
    await expect(openRun([`${store.url}/files/none.npz?token=secret`])).rejects.toMatchObject({
      _tag: "NotFoundError",
      message: `${store.url}/files/none.npz does not exist`,
    });
  });
});

describe("addresses", () => {
  it("are told from paths", () => {
    expect(["s3://a", "hf://a/b", "https://a", "ftp://a"].every(isRemote)).toBe(true);
    expect(["-", "a/b", "C:\\runs", "./s3:/a", "/a//b"].some(isRemote)).toBe(false);
  });

  it("lose their secrets in names", () => {
    expect(nameRemote("https://user:pass@host/a/b.npz?sig=1#x")).toBe("https://host/a/b.npz");
    expect(nameRemote("s3://bucket/a")).toBe("s3://bucket/a");
  });

  it("of a W&B run: where its steps are instead", async () => {
    await expect(openRun(["wandb://me/project/runs/abc"])).rejects.toMatchObject({
      message: "a run is not read from W&B's servers",
      hint: expect.stringMatching(/run-\*\.wandb has every step.*wandb\.Api\(\)\.run\('me\/project\/abc'\)/),
    });
  });

  it.each(["ftp://host/a.npz", "file:///a.npz"])("of other kinds are refused: %s", async (address) => {
    await expect(openRun([address])).rejects.toMatchObject({
      _tag: "UsageError",
      hint: "use s3://, gs://, hf://, https:// or http://, or copy the files here first",
    });
  });

  it("need a bucket", async () => {
    await expect(openRun(["s3:///a"])).rejects.toMatchObject({ message: "s3:///a does not name a bucket" });
  });
});
