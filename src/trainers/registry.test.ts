import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { TRAINERS } from "./registry.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const INPUTS = readFileSync(new URL("../../docs/formats/inputs.md", import.meta.url), "utf8");
/** What holds for all trainers. */
const NOT_TRAINERS = ["configs", "files", "logged", "neutral", "shared"];

describe("the list of trainers", () => {
  it("has every folder once", () => {
    const folders = readdirSync(HERE, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !NOT_TRAINERS.includes(entry.name))
      .map(({ name }) => name);
    expect(TRAINERS.map(({ name }) => name).sort()).toEqual(folders.sort());
  });

  it("says of each what was read, and the documentation says the same", () => {
    for (const { name, title, repository, read } of TRAINERS) {
      expect(repository).toMatch(/^[\w-]+\/[\w-]+$/);
      expect(read.commit).toMatch(/^[0-9a-f]{7,8}$/);
      const survey = `${title} ${read.commit}`;
      const adapter = `\`${name}\` (${read.commit}`;
      expect([name, INPUTS.includes(survey) || INPUTS.includes(adapter)]).toEqual([name, true]);
    }
  });

  it("calls a trainer the same everywhere", () => {
    for (const { title, presets = [], read } of TRAINERS)
      for (const preset of presets) {
        expect(preset.trainer).toBe(title);
        expect(preset.source).toContain(read.commit);
      }
  });

  it("knows at least one thing of each", () => {
    for (const { name, ...known } of TRAINERS)
      expect([name, Object.keys(known).length > 3 || existsSync(`${HERE}${name}/files`)]).toEqual([
        name,
        true,
      ]);
  });
});
