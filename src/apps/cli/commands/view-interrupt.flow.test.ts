/** In a process of its own: whoever holds temporary files listens for signals too, and other tests do. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { captured, DEMO, interruptWhenHeard } from "./captured.test-data.ts";
import { view } from "./view.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "view"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it("ends with 130 and nothing kept when it is interrupted while it prepares", async () => {
  const before = process.listenerCount("SIGINT");
  const done = captured((terminal) => view([DEMO], { cache: folder, open: false }, terminal));
  interruptWhenHeard(before);
  const { status, err } = await done;
  expect([status, err]).toEqual([130, "interrupted\n"]);
  expect(process.listenerCount("SIGINT")).toBe(before);
});
