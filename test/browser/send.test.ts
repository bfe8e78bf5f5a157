/** What a reader can send to somebody who has neither logratio nor the data. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { describe, expect, it } from "vitest";
import { goTo, hasBrowser, openPage, readText, warnWithoutBrowser } from "../support/browser.ts";
import { DEMO, DEMO_FLAGS, type Workplace } from "../support/built-view.ts";
import { useViewer } from "../support/use-viewer.ts";

warnWithoutBrowser("sending an answer");

describe.skipIf(!hasBrowser)("the menu Send", () => {
  let browser: Browser;
  let place: Workplace;
  useViewer(async (aBrowser, aPlace) => {
    browser = aBrowser;
    place = aPlace;
  });

  it("saves the answer as one file, with the mistake's text and the config, and says where a link opens", async () => {
    const server = await place.serveWithToken(join(DEMO, "stale"), ...DEMO_FLAGS);
    const { page, errors } = await openPage(browser);
    await goTo(page, server.url, "#/answer");
    await page.getByText("Send…", { exact: true }).click();
    expect(await readText(page.locator(".layer.send"))).toContain("Copy link opens on this machine only");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Save the answer" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("stale-answer.html");
    const file = join(place.folder, "stale-answer.html");
    await download.saveAs(file);
    await goTo(page, server.url, "#/answer?steps=10..30");
    await page.getByText("Send…", { exact: true }).click();
    const send = page.locator(".layer.send");
    expect(await readText(send)).toContain("Save the answer of the chosen steps as one file");
    const [part] = await Promise.all([
      page.waitForEvent("download"),
      send.getByRole("link", { name: "Save the answer" }).click(),
    ]);
    expect(part.suggestedFilename()).toBe("stale-answer-steps-10..30.html");
    expect(await readFile(await part.path(), "utf8")).not.toContain("54,994 tokens");
    expect(errors).toEqual([]);
    await page.close();

    const { page: saved, errors: failures } = await openPage(browser);
    await saved.goto(`file://${file}`);
    const [quote, config] = [
      saved.locator("pre", { hasText: "so 110.⏎Therefore x = 1▐0▌0." }),
      saved.locator("pre", { hasText: 'rollout_is: "token"' }),
    ];
    for (const shown of [quote, config]) {
      const box = await shown.boundingBox();
      expect(box!.y).toBeLessThan(saved.viewportSize()!.height);
    }
    expect(await readText(quote)).toMatch(/engine +0 +98\.3 %/);
    expect(await readText(saved.locator("body"))).not.toContain("logratio sweep");
    expect(failures).toEqual([]);
    await saved.close();
  });
});
