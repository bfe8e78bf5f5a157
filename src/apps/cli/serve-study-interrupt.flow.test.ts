/** In a process of its own: whoever holds temporary files listens for signals too, and other tests do. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ExampleStudy, exampleStudy } from "../viewer/kl/example-study.test-data.ts";
import { captured, interruptWhenHeard } from "./commands/captured.test-data.ts";
import { type ViewOptions, view } from "./commands/view.ts";

let example: ExampleStudy;
beforeAll(async () => {
  example = await exampleStudy();
});
afterAll(() => example.remove());

const run = (options: ViewOptions) => captured((terminal) => view([example.dir], options, terminal));

it("ends with 130 when it is interrupted while it analyses", async () => {
  const before = process.listenerCount("SIGINT");
  const done = run({ open: false });
  interruptWhenHeard(before);
  const { status, err } = await done;
  expect([status, err]).toEqual([130, "interrupted\n"]);
});
