import { mkdir, readFile, writeFile } from "node:fs/promises";
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
  const write = (target: string) =>
    captured((terminal) => view([example.dir], { bundle: target, redact: "text" }, terminal));
  const target = join(example.folder, "site");
  expect((await write(target)).status).toBe(0);
  expect(await readFile(join(target, "index.html"), "utf8")).toContain('<div id="app" data-bundled>');
  const taken = join(example.folder, "taken");
  await mkdir(taken);
  await writeFile(join(taken, "index.html"), "somebody else's");
  await expect(write(taken)).rejects.toMatchObject({ _tag: "UsageError" });
});
