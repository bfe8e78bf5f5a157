import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { RunningView } from "../../bench/support/view-server.mjs";
import { eventually, goTo, hasBrowser, openPage, readText, warnWithoutBrowser } from "../support/browser.ts";
import { DEMO, DEMO_FLAGS } from "../support/built-view.ts";
import { useViewer } from "../support/use-viewer.ts";

warnWithoutBrowser("more than two runs in Compare");

const FIRST = join(DEMO, "stale/step_0020.npz");
const LATER = join(DEMO, "stale/step_0120.npz");

describe.skipIf(!hasBrowser)("more than two runs", () => {
  let page: Page;
  let errors: string[];
  let server: RunningView;
  useViewer(async (browser, place) => {
    server = await place.serve(
      ...[FIRST, ...DEMO_FLAGS, "--compare", `copy=${FIRST}`, "--compare", `later=${LATER}`],
    );
    ({ page, errors } = await openPage(browser));
  });

  const rows = async (): Promise<string[][]> =>
    page
      .locator("table.all-runs tbody tr")
      .evaluateAll((all) =>
        all.map((row) =>
          [...row.querySelectorAll("th, td")].map((cell) => (cell as { textContent: string }).textContent),
        ),
      );

  it("are one table: the same texts paired, others over texts of their own", async () => {
    await goTo(page, server.url, "#/compare");
    await eventually(async () => (await rows()).length).toBe(3);
    const [first, copy, later] = await rows();
    expect([copy![0], later![0]]).toEqual(["copy", "later"]);
    // All figures of a copy equal those of the run.
    expect(copy!.slice(1, 8)).toEqual(first!.slice(1, 8));
    expect(later!.slice(1, 8)).not.toEqual(first!.slice(1, 8));
    expect(first!.slice(8)).toEqual(["", "", ""]);
    expect(copy![10]).toMatch(/^[\d,]+ tokens of the same texts$/);
    expect(later![10]).toBe("texts of their own");
    expect(await readText(page.locator("#compare-runs"))).toBe("3 runs");
    expect(await readText(page.locator("p.difference"))).toContain("mean |Δ| of B equals that of A");
    expect(await page.locator(".compare-view > section figure").first().textContent()).toContain("copy");
  });

  it("are chosen by name, with all that is shown of B", async () => {
    await goTo(page, server.url, "#/compare");
    await page.getByRole("link", { name: "later", exact: true }).click();
    await eventually(() => readText(page.locator("h1").nth(1))).toContain("B later");
    expect(page.url()).toContain("with=later");
    await eventually(() => readText(page.locator("p.difference"))).toMatch(
      /^Over all tokens of both runs.*mean \|Δ\| of B is [\d.]+ nats (higher|lower) than that of A/,
    );
    const asked = page.waitForRequest((request) => /api\/other-2\/sequence\//.test(request.url()));
    await goTo(page, server.url, "#/sequence/0?run=b&with=later");
    await asked;
    await eventually(() => readText(page.locator("main"))).toContain("run B: later");
  });

  it("are refused by a name that there is not", async () => {
    await goTo(page, server.url, "#/compare?with=missing");
    await eventually(() => readText(page.getByRole("alert"))).toBe(
      "This run is not compared with missing, but with copy, later.",
    );
    expect(errors).toEqual([]);
  });
});
