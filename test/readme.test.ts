import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { ROOT, requireBuild, runCli } from "./support/run-cli.ts";

beforeAll(requireBuild);

test("the report in the README is what logratio prints", () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const [, printed] = /```\n(stale · 12 files.*?\n)```/s.exec(readme) ?? [];
  const { out } = runCli(ROOT, ["report", "examples/demo", "--brief"], { env: { COLUMNS: "80" } });
  expect(printed).toBe(out);
});
