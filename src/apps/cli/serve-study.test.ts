import { afterAll, beforeAll, expect, it } from "vitest";
import { type ExampleStudy, exampleStudy } from "../viewer/kl/example-study.test-data.ts";
import { captured } from "./commands/captured.test-data.ts";
import { type ViewOptions, view } from "./commands/view.ts";

let example: ExampleStudy;
beforeAll(async () => {
  example = await exampleStudy();
});
afterAll(() => example.remove());

const run = (options: ViewOptions) => captured((terminal) => view([example.dir], options, terminal));

it("refuses flags that are for runs", async () => {
  for (const options of [
    { follow: true },
    { compare: ["other"] },
    { steps: "10..20" },
    { correction: "weight:token" },
  ])
    await expect(run(options)).rejects.toMatchObject({
      _tag: "UsageError",
      message: expect.stringMatching(/^--\w+ applies to runs/) as string,
    });
});
