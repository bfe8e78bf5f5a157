import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import { readStudyConfig } from "./read-config.ts";

const directory = mkdtempSync(join(tmpdir(), "read-config-"));
afterAll(() => rmSync(directory, { recursive: true }));

it.each(["texts: a\n? [b, c]\n: d\n", "texts: a\n? {b: c}\n: d\n", "texts: a\npolicies:\n  [b, c]: d\n"])(
  "refuses %j, without a warning of Node's own",
  async (text) => {
    const file = join(directory, "study.yaml");
    writeFileSync(file, text);
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    await expect(readStudyConfig(file)).rejects.toMatchObject({
      _tag: "FormatError",
      message: "a key of the config is a list or a map; keys are names",
      at: { file, line: text.includes("policies") ? 3 : 2 },
    });
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  },
);
