import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeLongRun } from "../../bench/support/long-run.mjs";
import {
  BUDGETS,
  MEASURE_TITLES,
  type Measures,
  measureSequence,
} from "../../bench/support/view-measures.mjs";
import { hasBrowser, openBrowser, openPage, warnWithoutBrowser } from "../support/browser.ts";
import { DEMO_FLAGS, type Workplace, workplace } from "../support/built-view.ts";
import { ROOT } from "../support/run-cli.ts";

warnWithoutBrowser("how fast the viewer shows long sequences");

const OUT = join(ROOT, "test/out");

describe.skipIf(!hasBrowser)("long sequences", () => {
  let browser: Browser;
  let place: Workplace;
  const measured: Record<string, Measures> = {};
  beforeAll(async () => {
    [browser, place] = await Promise.all([openBrowser(), workplace()]);
  });
  afterAll(async () => {
    await browser.close();
    await place.leave();
    mkdirSync(OUT, { recursive: true });
    writeFileSync(
      join(OUT, "view-budgets.json"),
      `${JSON.stringify({ budgets: BUDGETS, measured }, null, 2)}\n`,
    );
  });

  it.each([25_000, 100_000])("shows %i tokens; times are printed, not held to anything", async (tokens) => {
    const path = join(place.folder, `${tokens}.jsonl`);
    writeLongRun(path, tokens);
    const { url } = await place.serve(path, ...DEMO_FLAGS);
    const { page, errors } = await openPage(browser);
    const measures = await measureSequence(page, url);
    measured[tokens] = measures;
    for (const [name, title] of Object.entries(MEASURE_TITLES)) {
      const budget = (BUDGETS as Partial<Record<string, number>>)[name];
      const value = measures[name as keyof Measures];
      const over = budget !== undefined && value > budget ? " OVER" : "";
      console.log(
        `${tokens} tokens, ${title}: ${value.toFixed(0)}${budget === undefined ? "" : ` (budget ${budget})`}${over}`,
      );
    }
    // Never as many nodes as tokens.
    expect(measures.nodes).toBeLessThan(20_000);
    expect(errors).toEqual([]);
    await page.close();
  });
});
