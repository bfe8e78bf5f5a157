import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { captured } from "../src/apps/cli/commands/captured.test-data.ts";
import { view } from "../src/apps/cli/commands/view.ts";
import { type ExampleStudy, exampleStudy } from "../src/apps/viewer/kl/example-study.test-data.ts";

let example: ExampleStudy;
beforeAll(async () => {
  example = await exampleStudy();
});
afterAll(() => example.remove());

it("is what the command line writes, and asks for no place that is taken", async () => {
  const target = join(example.folder, "site");
  await expect(
    captured((terminal) => view([example.dir], { bundle: target, redact: "text" }, terminal)),
  ).rejects.toMatchObject({ _tag: "UsageError" });
});
