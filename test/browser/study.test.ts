import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { RunningView } from "../../bench/support/view-server.mjs";
import type { KlReport } from "../../src/study/results/report.ts";
import {
  eventually,
  goTo,
  hasBrowser,
  openPage,
  readText,
  settled,
  warnWithoutBrowser,
} from "../support/browser.ts";
import { DEMO_FLAGS, printed, type Workplace } from "../support/built-view.ts";
import { ROOT } from "../support/run-cli.ts";
import { useViewer } from "../support/use-viewer.ts";

warnWithoutBrowser("a study of checkpoints in the viewer");

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");
/** Of `axe-core`, which runs in the page. */
const VIOLATIONS =
  "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + nodes[0].html))";
const HOSTILE = '\u202e"><script>globalThis.hacked = 1</script><img src=x onerror="globalThis.hacked = 1">';

describe.skipIf(!hasBrowser)("a study of checkpoints", () => {
  let browser: Browser;
  let place: Workplace;
  let server: RunningView;
  let report: KlReport;
  let page: Page;
  let errors: string[];
  let study: string;
  useViewer(async (aBrowser, aPlace) => {
    browser = aBrowser;
    place = aPlace;
    study = join(place.folder, "example.study");
    const logits = join(ROOT, "examples/kl/logits.npz");
    report = await printed("kl", logits, "--reference", "dpo", ...DEMO_FLAGS, "--out", study, "--json");
    server = await place.serve(study);
    ({ page, errors } = await openPage(browser));
  });

  const params = (): Promise<string> => page.evaluate<string>("location.hash.split('?')[1]");
  const parameter = async (name: string): Promise<string | null> =>
    new URLSearchParams(await params()).get(name);

  it("shows what kl prints: answers, pictures, tables", async () => {
    await goTo(page, server.url, "#/");
    expect(await page.title()).toContain("Checkpoints · logratio");
    await eventually(() => page.url()).toContain("#/checkpoints");
    const said = await readText(page.locator("main"));
    for (const { question } of report.answers) expect(said).toContain(question);
    expect(await page.locator(".report-picture svg").count()).toBeGreaterThan(3);
    expect(await page.locator("table").count()).toBeGreaterThan(3);
    expect(errors).toEqual([]);
  });

  it("goes from the list to a text, its spikes and its checkpoints by keys", async () => {
    await goTo(page, server.url, "#/checkpoints?part=texts&order=-kl");
    await page
      .locator(".virtual-table tbody tr")
      .nth(report.metrics.texts - 1)
      .waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.locator(".heat-map table").first().waitFor();
    const first = await parameter("text");
    await page.keyboard.press(".");
    const token = await parameter("token");
    expect(token).toMatch(/^\d+$/);
    await page.locator(".token-card .choices").waitFor();
    expect(await readText(page.locator(".readout"))).toContain(`token ${token}`);
    await page.keyboard.press("1");
    expect(await parameter("checkpoint")).toBe("rlvr_step_100");
    await page.keyboard.press("k");
    await settled(page);
    expect([await parameter("text"), await parameter("token")]).not.toEqual([first, token]);
    expect(errors).toEqual([]);
  });

  it("draws a token's KL as the report has it", async () => {
    const [one] = report.cases;
    const [spike] = one!.spikes;
    const [, text, token] = /^q(\d+)\.t(\d+)$/.exec(spike!.handle)!;
    await goTo(page, server.url, `#/checkpoints?text=${text}&token=${token}`);
    const rows = page.locator(".token-card .values tbody tr");
    expect(await rows.count()).toBe(one!.checkpoints.length + 1);
    const shown = await readText(
      rows
        .nth(one!.checkpoints.length - 1)
        .locator("td")
        .first(),
    );
    expect(Number(shown.replace("▲", "").replace("−", "-"))).toBeCloseTo(spike!.kl, 2);
    expect(await page.locator(`.heat-strip [data-token="${token}"].spike.chosen`).count()).toBe(1);
  });

  it.each(["light", "dark"] as const)("is accessible in the %s", async (colorScheme) => {
    const own = await openPage(browser, { colorScheme });
    for (const hash of ["#/checkpoints", "#/checkpoints?part=texts", "#/checkpoints?text=1&token=4"]) {
      await goTo(own.page, server.url, hash);
      await own.page.evaluate(AXE);
      expect(await own.page.evaluate(VIOLATIONS), hash).toEqual([]);
    }
    expect(own.errors).toEqual([]);
    await own.page.close();
  });

  it("shows hostile text as text", async () => {
    const file = join(study, "texts.jsonl");
    const [first = "", ...rest] = (await readFile(file, "utf8")).split("\n");
    const { digest: _, ...text } = JSON.parse(first) as { tokens: string[]; digest: string };
    text.tokens[2] = HOSTILE;
    const changed = { ...text, problem: HOSTILE, prompt_text: HOSTILE, source: HOSTILE };
    const digest = createHash("sha256").update(JSON.stringify(changed)).digest("hex").slice(0, 16);
    await writeFile(file, [JSON.stringify({ ...changed, digest }), ...rest].join("\n"));
    const hostile = await place.serve(study);
    for (const hash of ["#/checkpoints", "#/checkpoints?part=texts", "#/checkpoints?text=0&token=2"]) {
      await goTo(page, hostile.url, hash);
      expect(await page.locator("main :is(script, img)").count(), hash).toBe(0);
      expect(await page.evaluate("globalThis.hacked"), hash).toBeUndefined();
    }
    expect(await readText(page.locator(".heat-strip"))).toContain("\\u202e");
    expect(errors).toEqual([]);
  });
});
