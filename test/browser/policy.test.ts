import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { describe, expect, it } from "vitest";
import { goTo, hasBrowser, listViews, openPage, settled, warnWithoutBrowser } from "../support/browser.ts";
import { DEMO, DEMO_FLAGS, printed, type Workplace } from "../support/built-view.ts";
import { ROOT, runCli } from "../support/run-cli.ts";
import { useViewer } from "../support/use-viewer.ts";

warnWithoutBrowser("what the pages' own security policies refuse");

describe.skipIf(!hasBrowser)("no page asks for what its own security policy refuses", () => {
  let browser: Browser;
  let place: Workplace;
  useViewer(async (aBrowser, aPlace) => {
    browser = aBrowser;
    place = aPlace;
  });

  it.each(["light", "dark"] as const)("every view, %s", async (colorScheme) => {
    const server = await place.serve(DEMO, ...DEMO_FLAGS, "--compare", DEMO);
    const { page, errors } = await openPage(browser, { colorScheme });
    const more = [
      "#/sequences?layout=groups",
      "#/sequences?layout=matrix",
      "#/tokens?by=token",
      "#/tokens?by=class",
      "#/sequence/0/t3?pins=3",
      "#/sequence/0?mode=ids",
    ].map((hash) => ({ name: hash, hash }));
    for (const { name, hash } of [...(await listViews(page, server.url)), ...more]) {
      await goTo(page, server.url, hash);
      expect(errors, name).toEqual([]);
    }
    await page.close();
  });

  it.each(["light", "dark"] as const)("every page that is written as a file, %s", async (colorScheme) => {
    const at = (name: string): string => join(place.folder, `${colorScheme}-${name}`);
    const report = runCli(ROOT, ["report", DEMO, "--html", at("report.html")]);
    expect(report.status, report.err).toBe(0);
    const divergence = runCli(ROOT, ["divergence", DEMO, ...DEMO_FLAGS, "--out", at("log.jsonl")]);
    expect(divergence.status, divergence.err).toBe(0);
    const analysis = runCli(ROOT, ["analyze", at("log.jsonl"), "--html", at("analysis.html")]);
    expect(analysis.status, analysis.err).toBe(0);
    const study = [join(ROOT, "examples/kl/logits.npz"), "--reference", "dpo", ...DEMO_FLAGS];
    await printed("kl", ...study, "--out", at("study"), "--html", at("kl.html"), "--json");
    const { page, errors } = await openPage(browser, { colorScheme });
    for (const name of ["report.html", "analysis.html", "kl.html"]) {
      await page.goto(pathToFileURL(at(name)).href);
      await page.locator("h1").first().waitFor();
      expect(errors, name).toEqual([]);
    }
    const { url } = await place.serve(at("study"));
    await page.goto(`${url}#/checkpoints?text=1&token=4`);
    await settled(page);
    expect(errors, "study").toEqual([]);
    await page.close();
  });
});
