import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listNames, nameArguments } from "./say-names.ts";
import { TOOLS } from "./tools.ts";

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "names-"));
  mkdirSync(join(root, "run/empty"), { recursive: true });
  mkdirSync(join(root, "run/.logratio"));
  for (let at = 0; at < 25; at++) writeFileSync(join(root, `run/step_${10 + at}.npz`), "");
});
afterAll(() => rmSync(root, { recursive: true }));

describe("names for whoever has no shell", () => {
  const roots = () => ({ local: [join(root, "run")], remote: [] });

  it("are those of the directory, or of the nearest above what is not there, twenty of them, no hidden one", async () => {
    const said = await listNames(join(root, "run"), roots());
    expect(said).toMatch(/^in .*run: empty\/, step_10\.npz, .*step_28\.npz and 6 more$/);
    expect(await listNames(join(root, "run/dumps/step_1.npz"), roots())).toBe(said);
    expect(await listNames(join(root, "run/empty"), roots())).toBe(`${join(root, "run/empty")} is empty`);
  });

  it("are never of what lies outside the roots", async () => {
    expect(await listNames(join(root, "other"), roots())).toBeUndefined();
  });
});

describe("a message", () => {
  it("names arguments in place of flags that a tool has, and leaves others", () => {
    const tool = (name: string) => TOOLS.find((one) => one.name === name)!;
    expect(nameArguments("try --tokenizer DIR or --digit-ids 1,2, --memory 4GB", tool("digits"))).toBe(
      "try tokenizer DIR or digit_ids 1,2, --memory 4GB",
    );
    expect(nameArguments("name it: --rollout lp --steps 3", tool("report"))).toMatch(
      /^name it: columns\.\w+ lp steps 3$/,
    );
    expect(nameArguments("--rollout lp, --constructor", tool("sql"))).toBe("--rollout lp, --constructor");
  });
});
