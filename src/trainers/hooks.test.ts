/**
 * What the Python package and the program both say of hooks is one file, written from the trainers' folders: `npx vitest
 * run --project=unit src/trainers/hooks.test.ts -u`. Trainers keep their place in it; a new one comes last.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { TRAINERS } from "./registry/index.ts";

const FILE = fileURLToPath(new URL("../../python/logratio/hooks/catalog.json", import.meta.url));

it("the catalog of hooks is what the trainers' folders say", async () => {
  const { trainers } = JSON.parse(readFileSync(FILE, "utf8")) as { trainers: { name: string }[] };
  const place = new Map(trainers.map(({ name }, at) => [name, at]));
  const hooks = TRAINERS.flatMap(({ title, hook }) => {
    if (hook === undefined) return [];
    const { distribution, writtenFor, ...rest } = hook;
    return { name: title, distribution, written_for: writtenFor, ...rest };
  }).sort((a, b) => (place.get(a.name) ?? place.size) - (place.get(b.name) ?? place.size));
  await expect(`${JSON.stringify({ trainers: hooks }, null, 2)}\n`).toMatchFileSnapshot(FILE);
});
