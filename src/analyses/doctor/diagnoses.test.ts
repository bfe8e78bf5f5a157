/**
 * The doctor's whole diagnosis of runs with known faults, a page for each (test/fixtures/doctor/runs): a change of a
 * figure, a probability or a word shows there as a changed line. Read the lines that changed; if each is meant to change, write
 * the pages again with `npx vitest run --project=unit src/analyses/doctor/diagnoses.test.ts -u`.
 */
import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import type { RecordBatch } from "../../core/schema/record.ts";
import { RUNS } from "./diagnoses.test-data.ts";
import { Doctor } from "./doctor.ts";
import { examineView } from "./examine.ts";
import { modelRun } from "./modelled-run.test-data.ts";
import { takeRow } from "./sample/row.ts";
import { View } from "./sample/view.ts";

/** Few enough digits that the mathematical functions of other machines give the same. */
function round(value: unknown): unknown {
  if (typeof value === "number")
    return Number.isFinite(value) && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
  if (ArrayBuffer.isView(value)) return [...(value as Float64Array)].map(round);
  if (Array.isArray(value)) return value.map(round);
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([name, inner]) => [name, round(inner)]));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, round(inner)]));
}

const MOST_NUMBERS = 24;
/** One line; of a long list its length, its sum and its beginning. */
function line(value: unknown): string {
  return JSON.stringify(round(value), (_, inner) => {
    if (typeof inner === "number" && !Number.isFinite(inner)) return String(inner);
    if (!Array.isArray(inner) || inner.length <= MOST_NUMBERS) return inner;
    const finite = inner.filter(Number.isFinite) as number[];
    const sum = finite.reduce((total, one) => total + one, 0);
    return { length: inner.length, finite: finite.length, sum: round(sum), first: inner.slice(0, 4) };
  });
}

/** Drawing a run takes longer than its diagnosis, and mutation tests ask for the same runs hundreds of times. */
const drawn = new Map<string, RecordBatch>();

function draw(name: string): RecordBatch {
  const batch = drawn.get(name) ?? modelRun(RUNS[name]!);
  drawn.set(name, batch);
  return batch;
}

function tell(name: string): string {
  const batch = draw(name);
  const doctor = new Doctor();
  doctor.add(batch);
  const { causes, ...parts } = doctor.diagnose();
  const rows = Array.from({ length: batch.length }, (_, i) => takeRow(batch, i, Math.floor(i / 4), true));
  const { figures, shape, structure } = examineView(new View(rows));
  const lines = [`## ${name}`, "", `${parts.verdict}: ${parts.sentence}`, ""];
  for (const { id, probability, handles, fix, evidence } of causes) {
    lines.push(
      `${id} ${line(probability)}${handles.length > 0 ? ` at ${handles.slice(0, 3).join(" ")}` : ""}`,
    );
    for (const { sentence, weight, figures: own, picture } of evidence) {
      lines.push(`  ${line(weight)} ${sentence}`, `    ${line(own)}`);
      if (picture) lines.push(`    picture ${line(picture)}`);
    }
    if (fix[0]) lines.push(`  fix ${fix[0].trainer ?? "any trainer"}: ${fix[0].line}`);
  }
  const { verdict, sentence, ...rest } = parts;
  for (const [part, value] of Object.entries(rest)) lines.push(`${part} ${line(value)}`);
  const { clues, ...seen } = structure;
  for (const [part, value] of Object.entries({ ...figures, shape, ...seen }))
    lines.push(`${part} ${line(value)}`);
  for (const { cause, weight, handles = [] } of clues)
    lines.push(`clue ${cause} ${line(weight)} ${handles.slice(0, 3).join(" ")}`);
  return `${lines.join("\n")}\n`;
}

const PAGES = "../../../test/fixtures/doctor/runs";

function namePage(name: string): string {
  const words = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return `${words.replace(/-$/, "")}.txt`;
}

it.each(Object.keys(RUNS))("%s", async (name) => {
  await expect(tell(name)).toMatchFileSnapshot(`${PAGES}/${namePage(name)}`);
});

it("has a page for each run, and no page of a run that is gone", () => {
  const pages = readdirSync(new URL(PAGES, import.meta.url));
  expect(pages.sort()).toEqual(Object.keys(RUNS).map(namePage).sort());
});
