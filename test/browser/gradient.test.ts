import type { Browser, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import type { RunningView } from "../../bench/support/view-server.mjs";
import type { MismatchReport } from "../../src/results/report.ts";
import { goTo, hasBrowser, openPage, readText, settled, warnWithoutBrowser } from "../support/browser.ts";
import { DEMO, DEMO_FLAGS, printed, type Workplace } from "../support/built-view.ts";
import { useViewer } from "../support/use-viewer.ts";

warnWithoutBrowser("the gradient in the viewer");

describe.skipIf(!hasBrowser)("what reaches the gradient", () => {
  let browser: Browser;
  let place: Workplace;
  let server: RunningView;
  let page: Page;
  let errors: string[];
  let report: MismatchReport;
  useViewer(async (aBrowser, aPlace) => {
    browser = aBrowser;
    place = aPlace;
  });
  beforeAll(async () => {
    [server, report] = await Promise.all([
      place.serve(DEMO, ...DEMO_FLAGS),
      printed<MismatchReport>("report", DEMO, "--json"),
    ]);
    ({ page, errors } = await openPage(browser));
  });

  it("is said among the steps, with the token that weighs most wrongly", async () => {
    await goTo(page, server.url, "#/steps");
    const facts = await readText(page.locator(".verdict"));
    expect(facts).toContain(
      "78.0 % of k3 lies at advantage 0, outside the policy gradient (51.6 % of the tokens, 7 of the 10 worst;",
    );
    const worst = report.gradient!.worst_tokens[0]!;
    const card = page.locator(".first-looks li", { hasText: "Worst for the gradient" });
    expect(await readText(card)).toContain(worst.handle);
    const table = page.locator("[data-id=gradient-tokens]");
    expect(await readText(table.locator("tbody tr").first())).toContain(worst.handle);
    await card.getByRole("link").click();
    await settled(page);
    expect(page.url()).toMatch(/#\/sequence\/[srq\d.]+\/t16/);
  });

  it("colors the text", async () => {
    await page.getByRole("radio", { name: "A·(ρ − 1)" }).check();
    await settled(page);
    // 4.62 is drawn in the second hue.
    expect(await page.locator(".strip-text .t.q-13").count()).toBeGreaterThan(0);
  });

  it("filters and sorts sequences", async () => {
    await goTo(page, server.url, "#/sequences?filter=impact%3E1&sort=-impact");
    const handles = await page
      .getByRole("grid", { name: "Sequences" })
      .locator("tbody td:first-child a")
      .allInnerTexts();
    const expected = new Set(
      report
        .gradient!.worst_tokens.filter(({ impact }) => Math.abs(impact) > 1)
        .map(({ handle }) => handle.replace(/\.t\d+$/, "")),
    );
    expect(new Set(handles)).toEqual(expected);
    const order = report
      .gradient!.worst_sequences.map(({ handle }) => handle)
      .filter((one) => expected.has(one));
    expect(handles.filter((one) => order.includes(one))).toEqual(order);
    expect(errors).toEqual([]);
  });
});

/** The smallest contrast of a text with the shade behind it, and the number of such texts. */
const CONTRASTS = `(() => {
  const pen = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
  const luminance = (color) => {
    pen.fillStyle = color;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data].map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  return [...document.querySelectorAll("main .scaled [class*='q1'], main .scaled [class*='q-1']")]
    .filter((shade) => /(^| )q-?1[0-5]( |$)/.test(shade.className) && shade.textContent.trim() !== "")
    .map((shade) => {
      const ink = getComputedStyle(shade.querySelector("a") ?? shade).color;
      const [dark, light] = [luminance(ink), luminance(getComputedStyle(shade).backgroundColor)].sort((a, b) => a - b);
      return (light + 0.05) / (dark + 0.05);
    });
})()`;

describe.skipIf(!hasBrowser)("the colors of tokens", () => {
  let place: Workplace;
  let page: Page;
  let server: RunningView;
  let browser: Browser;
  useViewer(async (aBrowser, aPlace) => {
    browser = aBrowser;
    place = aPlace;
    server = await place.serve(DEMO, ...DEMO_FLAGS);
    ({ page } = await openPage(browser));
  });

  it.each(["light", "dark"] as const)(
    "leave the worst token readable everywhere, %s",
    async (colorScheme) => {
      const { page: own } = await openPage(browser, { colorScheme });
      for (const hash of [
        "#/sequence/s30.q48/t39",
        "#/sequences?peek=176",
        "#/sequences?layout=matrix",
        "#/group/s30.q48?text-of=176",
      ]) {
        await goTo(own, server.url, hash);
        await own.locator("main .scaled .q-15, main .scaled .q15").first().waitFor();
        const contrasts = await own.evaluate<number[]>(CONTRASTS);
        expect(contrasts.length, hash).toBeGreaterThan(0);
        expect(Math.min(...contrasts), hash).toBeGreaterThanOrEqual(4.5);
      }
      await own.close();
    },
  );

  it("are anchored in nats: the same in every run, unless relative to it", async () => {
    await goTo(page, server.url, "#/sequences?layout=matrix");
    await page.locator(".turn-matrix tbody td").first().waitFor();
    // 10.7 nats, and 0.00948 in the turn before.
    const first = page.locator(".turn-matrix tbody tr").first().locator("td.cell");
    const classes = (): Promise<(string | null)[]> =>
      first.evaluateAll((all) => all.map((cell) => cell.getAttribute("class")));
    expect(await classes()).toEqual(["cell q0", "cell q15"].map((name) => expect.stringContaining(name)));
    const legend = page.locator(".matrix-head");
    expect(await readText(legend)).toContain("no color to 0.05, second hue from 1");
    await page.getByRole("checkbox", { name: "relative" }).check();
    await settled(page);
    expect((await classes())[0]).not.toContain("q0");
    expect(await readText(legend)).not.toContain("no color");
    expect(page.url()).toContain("scale=run");
  });
});
