import { describe, expect, it } from "vitest";
import { DIALECTS } from "../../../trainers/configs/dialects.ts";
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
    const dialect = DIALECTS.find(({ name }) => name === trainer);
    const keys = listKeys(line);
    expect(keys.length).toBeGreaterThan(0);
    expect(Object.keys(dialect?.remedies ?? {})).toEqual(expect.arrayContaining(keys));
  });

  it.each(OF_ENGINES)("$id: $trainer has $line, and where is known", ({ trainer, line }) => {
    expect(ENGINE_SOURCES[trainer]?.[line]).toMatch(/[a-z_]+[./][a-z_#]/);
  });

  it("no source is kept of a flag that no fix names any more", () => {
    const texts = [...CAUSES.values()].flatMap(({ fix }) =>
      fix.map(({ trainer, line, note }) => ({ trainer, text: `${line} ${note}` })),
    );
    for (const { name, remedies = {} } of DIALECTS) {
      const own = texts.filter(({ trainer }) => trainer === name).map(({ text }) => text);
      for (const key of Object.keys(remedies))
        expect([name, key, own.some((text) => text.includes(key))]).toEqual([name, key, true]);
    }
    for (const [engine, lines] of Object.entries(ENGINE_SOURCES))
      for (const line of Object.keys(lines))
        expect(
          OF_ENGINES.some((fix) => fix.trainer === engine && fix.line === line),
          line,
        ).toBe(true);
  });
});
