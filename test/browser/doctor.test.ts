import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import type { RunningView } from "../../bench/support/view-server.mjs";
import type { DoctorReport } from "../../src/results/doctor.ts";
import { eventually, goTo, hasBrowser, openPage, readText, warnWithoutBrowser } from "../support/browser.ts";
import { printed, type Workplace } from "../support/built-view.ts";
import { useViewer } from "../support/use-viewer.ts";

warnWithoutBrowser("the doctor's page");

/** A run whose rollout column holds −1 wherever the engine returned nothing: a recognizable fault. */
async function writeFilled(file: string): Promise<void> {
  const rows = Array.from({ length: 32 }, (_, row) => {
    const trainer = Array.from({ length: 80 }, (_, t) => -((((t + 1) * (row + 3) * 37) % 101) / 50) - 0.001);
    return {
      step: 1 + Math.floor(row / 16),
      uid: `g${Math.floor(row / 4)}`,
      prompt_ids: [1, 2 + (row >> 2)],
      response_ids: trainer.map((_, t) => (t * 7 + row) % 97),
      response_mask: trainer.map(() => 1),
      rollout_log_probs: trainer.map((value, t) => ((t * 13 + row) % 9 === 0 ? -1 : value)),
      old_log_probs: trainer,
      rescored_log_probs: trainer,
    };
  });
  await writeFile(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
}

describe.skipIf(!hasBrowser)("the doctor's page", () => {
  let browser: Browser;
  let server: RunningView;
  let report: DoctorReport;
  useViewer(async (aBrowser, place: Workplace) => {
    browser = aBrowser;
    const file = join(place.folder, "filled.jsonl");
    await writeFilled(file);
    server = await place.serve(file);
    report = await printed<DoctorReport>("doctor", file, "--json");
  });
  beforeAll(() => {
    // The page is compared with this below.
    expect(report.verdict).toBe("fault");
    expect(report.guilty_leg).toBe("decode");
  });

  it("says what logratio doctor says: verdict, causes, evidence, fixes, legs, what was not tested", async () => {
    const { page, errors } = await openPage(browser);
    await goTo(page, server.url, "#/steps");
    await page.getByRole("link", { name: "Cause" }).click();
    await eventually(() => readText(page.locator(".doctor"))).toContain(report.sentence);
    const text = await readText(page.locator(".doctor"));
    const [cause] = report.causes;
    expect(text).toContain("FAULT");
    expect(text).toContain(cause!.title);
    expect(text).toContain(cause!.description);
    // Advice that is not a line to paste is shown as a sentence.
    for (const { line } of cause!.fix)
      for (const part of line.split("\n")) expect(text.toLowerCase()).toContain(part.trim().toLowerCase());
    expect(text).toContain(
      "The engine's decoding differs from its own prefill, and that prefill agrees with the trainer",
    );
    for (const { column } of report.untested) expect(text).toContain(column);
    expect(await page.locator(".doctor .level").first().textContent()).toBe("FAULT");
    expect(errors).toEqual([]);
    await page.close();
  });

  it("leads from a handle to the sequence, and back", async () => {
    const { page, errors } = await openPage(browser);
    await goTo(page, server.url, "#/doctor");
    const [handle] = report.causes[0]!.handles;
    expect(handle).toMatch(/q\d+/);
    await page.locator(".doctor .look a", { hasText: handle! }).first().click();
    await eventually(() => page.locator(".strip .t").count()).toBeGreaterThan(20);
    expect(page.url()).toMatch(/#\/sequence\/[srq\d.]+/);
    await page.goBack();
    await eventually(() => readText(page.locator(".doctor"))).toContain(report.sentence);
    expect(errors).toEqual([]);
    await page.close();
  });
});
