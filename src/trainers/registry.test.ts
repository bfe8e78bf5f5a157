import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { TRAINERS } from "./registry/index.ts";
import { METHODS } from "./registry/methods.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const INPUTS = readFileSync(new URL("../../docs/formats/inputs.md", import.meta.url), "utf8");
/** What holds for all trainers. */
const NOT_TRAINERS = ["configs", "files", "logged", "neutral", "registry", "shared"];

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
      if (read.commit !== undefined) expect(read.commit).toMatch(/^[0-9a-f]{7,8}$/);
      const state = read.commit ?? read.version;
      expect(state).toMatch(/\w/);
      const survey = `${title} ${state}`;
      const adapter = `\`${name}\` (${state}`;
      expect([name, INPUTS.includes(survey) || INPUTS.includes(adapter)]).toEqual([name, true]);
    }
  });

  it("calls a trainer the same everywhere", () => {
    for (const { trainer, presets = [] } of METHODS)
      for (const preset of presets) {
        expect(preset.trainer).toBe(trainer.title);
        expect(preset.source).toMatch(new RegExp(`\\b(${trainer.read.commit}|${trainer.read.version})\\b`));
      }
  });

  it("lists what they compute in the same order, every file of it once", () => {
    const known = METHODS.map(({ trainer }) => trainer.name);
    expect(known).toEqual(
      TRAINERS.map(({ name }) => name).filter((name) => existsSync(`${HERE}${name}/methods.ts`)),
    );
  });

  it("knows at least one thing of each", () => {
    for (const { name, ...known } of TRAINERS) {
      const isKnown =
        Object.keys(known).length > 3 ||
        ["methods.ts", "files"].some((part) => existsSync(`${HERE}${name}/${part}`));
      expect([name, isKnown]).toEqual([name, true]);
    }
  });
});
