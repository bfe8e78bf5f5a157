import { describe, expect, it } from "vitest";
import { TRAINERS } from "../../../trainers/registry/index.ts";
import { CAUSES } from "./catalog.ts";
import { ENGINE_SOURCES } from "./engine-sources.test-data.ts";

const FIXES = [...CAUSES.values()].flatMap(({ id, fix }) =>
  fix.flatMap(({ trainer, line }) => (trainer === null ? [] : [{ id, trainer, line }])),
);
const OF_ENGINES = FIXES.filter(({ trainer }) => trainer in ENGINE_SOURCES);
const OF_TRAINERS = FIXES.filter(({ trainer }) => !(trainer in ENGINE_SOURCES));

/** Flags, and keys before `=` or `:`. */
const listKeys = (line: string): string[] => line.match(/--[a-z][\w-]*|[A-Za-z_][\w.]*(?=\s*=|: )/g) ?? [];

describe("fixes that name a trainer", () => {
  it("there are some of each kind", () => {
    expect(OF_TRAINERS.length).toBeGreaterThan(15);
    expect(OF_ENGINES.length).toBeGreaterThan(8);
  });

  it.each(OF_TRAINERS)("$id: $trainer has $line, and where is known", ({ trainer, line }) => {
    const fixes = TRAINERS.find(({ name }) => name === trainer)?.fixes ?? [];
    const keys = listKeys(line);
    expect(keys.length).toBeGreaterThan(0);
    const known = fixes.filter((fix) => fix.line === line).flatMap((fix) => Object.keys(fix.keys));
    expect(known).toEqual(expect.arrayContaining(keys));
  });

  it.each(OF_ENGINES)("$id: $trainer has $line, and where is known", ({ trainer, line }) => {
    expect(ENGINE_SOURCES[trainer]?.[line]).toMatch(/[a-z_]+[./][a-z_#]/);
  });

  it("no fix of a trainer is left out by its causes", () => {
    for (const { name, fixes = [] } of TRAINERS)
      for (const { causes, line, note } of fixes)
        for (const id of causes)
          expect(CAUSES.get(id)?.fix).toContainEqual({ trainer: name, line, is_code: true, note });
  });

  it("no source is kept of a flag that no fix names any more", () => {
    for (const { name, fixes = [] } of TRAINERS)
      for (const { line, note, keys } of fixes)
        for (const key of Object.keys(keys))
          expect([name, key, `${line} ${note}`.includes(key)]).toEqual([name, key, true]);
    for (const [engine, lines] of Object.entries(ENGINE_SOURCES))
      for (const line of Object.keys(lines))
        expect(
          OF_ENGINES.some((fix) => fix.trainer === engine && fix.line === line),
          line,
        ).toBe(true);
  });
});
