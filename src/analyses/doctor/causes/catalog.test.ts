/**
 * All fixed texts of causes, and all of experiments, as one page each (test/fixtures/doctor). Read the lines that changed, then write the pages again: `npx vitest run --project=unit
 * src/analyses/doctor/causes/catalog.test.ts -u`.
 */
import { expect, it } from "vitest";
import { EXPERIMENTS } from "../experiment-list.ts";
import { CAUSES } from "./catalog.ts";

it("says this of each cause", async () => {
  const page = [...CAUSES].map(([key, { id, family, title, description, fix }]) => {
    expect(id).toBe(key);
    const fixes = fix.map(
      ({ trainer, line, note }) => `  ${trainer ?? "any trainer"}: ${line}\n    ${note}\n`,
    );
    return `${id} (${family})\n  ${title}\n  ${description}\n${fixes.join("")}`;
  });
  await expect(page.join("\n")).toMatchFileSnapshot("../../../../test/fixtures/doctor/causes.txt");
});

it("proposes these experiments", async () => {
  const page = EXPERIMENTS.map(({ id, title, steps, outcomes }) => {
    const lines = outcomes.map(
      ({ outcome, causes }) => `  → ${outcome}\n    ${causes.join(" ") || "none of the others"}\n`,
    );
    return `${id}\n  ${title}\n${steps.map((step) => `  ${step}\n`).join("")}${lines.join("")}`;
  });
  await expect(page.join("\n")).toMatchFileSnapshot("../../../../test/fixtures/doctor/experiments.txt");
});
