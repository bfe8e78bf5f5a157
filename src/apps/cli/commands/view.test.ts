import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { captured, DEMO } from "./captured.test-data.ts";
import { type ViewOptions, view } from "./view.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "view"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it("refuses what contradicts itself before anything is read", async () => {
  const refused = (options: ViewOptions, path = DEMO): Promise<unknown> =>
    captured((terminal) => view([path], { cache: folder, ...options }, terminal)).catch(
      (error: unknown) => error,
    );
  for (const [options, path] of [
    [{ port: "http" }],
    [{ port: "70000" }],
    [{ redact: "ids" }],
    [{ truth: "ground_truth" }],
    [{ follow: true }, "-"],
    [{ alerts: "rules.yaml" }],
    [{ follow: true, bundle: folder }],
    [{ follow: true, compare: [DEMO] }],
    [{ compareTokenizer: folder }],
    [{ embed: true, bundle: folder }],
    [{ embed: true }, "-"],
    [{ embed: true, token: false }],
    [{ compare: ["-"] }, "-"],
    [{ correction: "weight:planet" }],
    [{ correction: "weight:token", bundle: folder }],
  ] as const)
    expect(await refused(options, path)).toMatchObject({ _tag: "UsageError" });
});
