/**
 * The demo prepared for the viewer once, for all tests of the page: each copies the cache, which most of them would
 * otherwise spend their first seconds on.
 *
 * @module
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startView } from "../../bench/support/view-server.mjs";
import { DEMO, DEMO_FLAGS } from "./demo.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A folder for `--cache` that holds the prepared demo. */
    demoCache: string | undefined;
  }
}

export default async function prepareDemo(project: TestProject): Promise<() => Promise<void>> {
  const cache = await mkdtemp(join(tmpdir(), "logratio-demo-cache-"));
  const server = await startView([DEMO, ...DEMO_FLAGS, "--cache", cache]);
  await server.stop();
  project.provide("demoCache", cache);
  return () => rm(cache, { recursive: true, force: true });
}
