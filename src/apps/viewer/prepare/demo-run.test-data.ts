/**
 * The demo's run, prepared once for the tests of a file or of a `describe` block.
 *
 * @module
 */
import { afterAll, beforeAll } from "vitest";
import { prepareRun } from "./cache/prepare-run.ts";
import type { PreparedRun } from "./cache/prepared-run.ts";
import { DEMO, DEMO_TOKENIZER, type Workspace, workspace } from "./made-run.test-data.ts";

interface DemoRun {
  readonly run: PreparedRun;
  /** The folder of its cache. */
  readonly work: Workspace;
}

/** Set while tests run: read its members in tests only. */
export function useDemoRun(
  options: { readonly tokenizer?: string } = { tokenizer: DEMO_TOKENIZER },
): DemoRun {
  const demo = {} as { -readonly [Key in keyof DemoRun]: DemoRun[Key] };
  beforeAll(async () => {
    demo.work = await workspace();
    demo.run = await prepareRun([DEMO], { ...options, cache: demo.work.path("cache") });
  });
  afterAll(async () => {
    await demo.run.close();
    await demo.work.remove();
  });
  return demo;
}
