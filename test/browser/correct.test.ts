import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { PROGRAM, type RunningView } from "../../bench/support/view-server.mjs";
import type { SweepReport } from "../../src/results/sweep.ts";
import {
  eventually,
  goTo,
  hasBrowser,
  openPage,
  readText,
  settled,
  warnWithoutBrowser,
} from "../support/browser.ts";
import { DEMO, DEMO_FLAGS, printed, type Workplace } from "../support/built-view.ts";
import { shows } from "../support/shown-numbers.ts";
import { useViewer } from "../support/use-viewer.ts";

interface Effect {
  readonly name: string;
  readonly tokens_kept_share: number;
  readonly sequences_kept: number;
  readonly ess_tokens: number;
  readonly weight_mean: number;
  readonly truncated_share: number;
}

warnWithoutBrowser("corrections in the viewer");

describe.skipIf(!hasBrowser)("a correction", () => {
  let server: RunningView;
  let page: Page;
  let errors: string[];
  let place: Workplace;
  useViewer(async (browser, aPlace) => {
    place = aPlace;
    server = await place.serve(DEMO, ...DEMO_FLAGS);
    ({ page, errors } = await openPage(browser, { permissions: ["clipboard-read", "clipboard-write"] }));
  });

  const cap = (): number =>
    Number(
      /truncate:\.\.([\d.]+)/.exec(new URLSearchParams(page.url().split("?")[1]).get("correction")!)![1],
    );
  const exactCell = async (title: string): Promise<string> =>
    readText(
      page
        .getByRole("row")
        .filter({ has: page.getByRole("rowheader", { name: title, exact: true }) })
        .locator("td"),
    );
  const exactIsThere = async (): Promise<void> => {
    await eventually(() => readText(page.locator(".correct-figures thead"))).toContain("✓");
  };
  const expectShown = async (effect: Effect): Promise<void> => {
    const figures: Record<string, number> = {
      "kept tokens": effect.tokens_kept_share,
      "kept sequences": effect.sequences_kept,
      "effective sample size": effect.ess_tokens,
      "mean weight": effect.weight_mean,
      clipped: effect.truncated_share,
    };
    for (const [title, value] of Object.entries(figures)) {
      const text = await exactCell(title);
      expect(shows(text, value), `${title}: ${text}, ${value}`).toBe(true);
    }
  };
  /** The effect of the command that the page offers, run as a shell would run it. */
  const runOffered = async (): Promise<Effect> => {
    await page.getByRole("tab", { name: "logratio", exact: true }).click();
    await page.getByRole("button", { name: /^Copy command/ }).click();
    const command = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(command).toMatch(/^logratio correct /);
    const built = command.replace(/^logratio/, `'${process.execPath}' '${PROGRAM}'`);
    const { stdout } = await promisify(execFile)("bash", ["-c", `${built} --json`], { maxBuffer: 1 << 26 });
    return JSON.parse(stdout).effect;
  };
  const sweptAt = async (threshold: number): Promise<Effect> => {
    const setting = `verl:rollout_is=token,rollout_is_threshold=${threshold}`;
    const { corrections } = await printed<{ corrections: Effect[] }>(
      "sweep",
      DEMO,
      "--methods",
      "token-tis",
      "--setting",
      setting,
      "--json",
    );
    return corrections.find(({ name }) => name.startsWith("verl"))!;
  };

  it("is there from the first with logratio view --correction, past the token of the address", async () => {
    const text = "weight:token truncate:..1.5 veto:ratio:0.0001..";
    const asked = await place.serveWithToken(DEMO, ...DEMO_FLAGS, "--correction", text);
    await page.goto(asked.url);
    await eventually(() => page.getByRole("textbox", { name: "as text" }).inputValue()).toBe(text);
    await exactIsThere();
    expect(errors).toEqual([]);
  });

  it.each([
    ["the whole run", "", []],
    ["some steps", "&steps=10..50", ["--steps", "10..50"]],
  ] as const)(
    "recommends of %s what logratio sweep does, and sets what is clicked",
    async (_, params, flags) => {
      const { recommendation, corrections } = await printed<SweepReport>("sweep", DEMO, ...flags, "--json");
      await goTo(page, server.url, `#/correct?correction=weight:token+truncate:..1.05${params}`);
      const part = page.getByRole("region", { name: "Recommended" });
      await eventually(() => readText(part)).toContain(`Recommended: ${recommendation.name}`);
      await part.locator("summary").click();
      for (const reason of recommendation.reasons) expect(await readText(part)).toContain(reason);
      const { correction_text, ess_tokens } = corrections.find(({ name }) => name === recommendation.name)!;
      const row = part.getByRole("row").filter({ hasText: "(recommended)" });
      expect(shows(await readText(row.locator("td").first()), ess_tokens)).toBe(true);
      const asked = (): string | null => new URLSearchParams(page.url().split("?")[1]).get("correction");
      await row.getByRole("link").click();
      expect(asked()).toBe(correction_text);
      expect(await row.getAttribute("aria-current")).toBe("true");
      // The last one lies on top of others that drop equally many.
      const { correction_text: other, name } = corrections.findLast(
        ({ dropped }) => dropped.tokens_share > 0.1,
      )!;
      await part
        .locator("svg a", { hasText: `${name}:` })
        .first()
        .click();
      expect(asked()).toBe(other);
      await exactIsThere();
      expect(errors).toEqual([]);
    },
  );

  it("moves the cap by keyboard, and then shows what logratio sweep says of it", async () => {
    await goTo(page, server.url, "#/correct?correction=weight:token+truncate:..2");
    const slider = page.getByRole("slider", { name: "1 truncate above" });
    await slider.focus();
    for (let press = 0; press < 3; press++) await page.keyboard.press("Shift+ArrowLeft");
    await page.keyboard.press("ArrowRight");
    await exactIsThere();
    expect(cap()).toBeGreaterThan(1);
    expect(cap()).toBeLessThan(2);
    expect(shows((await slider.getAttribute("aria-valuetext"))!.slice(6).split(",")[0]!, cap())).toBe(true);
    await expectShown(await sweptAt(cap()));
  });

  it("moves the cap by mouse: figures follow, the exact ones come when it is let go", async () => {
    await goTo(page, server.url, "#/correct?correction=weight:token+truncate:..2");
    await exactIsThere();
    const before = await readText(page.locator(".correct-figures tbody tr").nth(2).locator("td").first());
    const slider = page.getByRole("slider", { name: "1 truncate above" });
    const box = (await slider.boundingBox())!;
    const [x, y] = [box.x + box.width / 2, box.y + box.height - 20];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x - 120, y, { steps: 12 });
    const ess = page.locator(".correct-figures tbody tr").nth(2).locator("td").first();
    await eventually(() => readText(ess)).not.toBe(before);
    expect(await readText(page.locator(".correct-figures thead"))).not.toContain("✓");
    await page.mouse.up();
    await exactIsThere();
    expect(cap()).toBeLessThan(2);
    await expectShown(await sweptAt(cap()));
  });

  it.each(["weight:token+truncate:..1.5+mask:token.ratio:0.5..1.4", "mask:sequence.sum.ratio:0.8..1.2"])(
    "offers a command that does what it shows: %s",
    async (correction) => {
      await goTo(page, server.url, `#/correct?correction=${correction}`);
      await exactIsThere();
      const effect = await runOffered();
      expect(effect.tokens_kept_share).toBeLessThan(1);
      await expectShown(effect);
    },
  );

  it("copies a trainer's config, and links to the correction", async () => {
    await goTo(page, server.url, "#/correct?correction=weight:token+truncate:..1.5");
    await exactIsThere();
    await page.getByRole("tab", { name: "verl", exact: true }).click();
    await page.getByRole("button", { name: /^Copy config/ }).click();
    const config = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(config).toBe(await readText(page.locator("#config-text pre")));
    expect(config).toMatch(/rollout_is\b.*token/);
    expect(config).toContain("1.5");
    await page
      .locator("main")
      .getByRole("button", { name: /^Copy link/ })
      .click();
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe(page.url());
    expect(errors).toEqual([]);
  });

  it("tells by outcome and length who is dropped while it is dragged, as exactly as in the end", async () => {
    await goTo(page, server.url, "#/correct?correction=mask:token.ratio:0.95..1.05");
    await exactIsThere();
    const rows = page.locator(".dropped-by tbody tr").filter({ has: page.locator("td") });
    const cells = async (): Promise<string[]> =>
      (await rows.locator("td").allTextContents()).map((cell) => cell.trim());
    const before = await cells();
    expect(before.length).toBeGreaterThan(3);
    await page.getByRole("slider", { name: "1 mask above" }).focus();
    await page.keyboard.down("Shift");
    await page.keyboard.down("ArrowLeft");
    await eventually(async () => (await cells()).every((cell) => cell.startsWith("≈ "))).toBe(true);
    const about = await cells();
    expect(about.map((cell) => cell.slice(2))).not.toEqual(before);
    await page.keyboard.up("ArrowLeft");
    await page.keyboard.up("Shift");
    await exactIsThere();
    const exact = await cells();
    for (const [at, cell] of exact.entries())
      expect(Math.abs(Number.parseFloat(about[at]!.slice(2)) - Number.parseFloat(cell))).toBeLessThan(0.5);
  });

  it("opens at what is recommended, with the config of the run's trainer, which another trainer does not replace", async () => {
    const { recommendation, corrections, configs } = await printed<SweepReport>("sweep", DEMO, "--json");
    const { correction_text } = corrections.find(({ name }) => name === recommendation.name)!;
    await goTo(page, server.url, "#/correct");
    await exactIsThere();
    const text = () => page.getByRole("textbox", { name: "as text" }).inputValue();
    const config = page.locator("#config-text");
    expect(await text()).toBe(correction_text);
    expect(await page.getByRole("tab", { selected: true }).allTextContents()).toEqual(["verl"]);
    expect(await readText(config.locator("pre"))).toBe(configs.find(({ preset }) => preset === "verl")!.text);
    const box = (await config.locator("pre").boundingBox())!;
    expect(box.y + box.height).toBeLessThan(900);
    const tabs = await page
      .getByRole("tab")
      .evaluateAll((all) => all.map((tab) => tab.getBoundingClientRect().y));
    // Twenty trainers and more: two rows of 1,280 pixels.
    expect(new Set(tabs).size).toBeLessThanOrEqual(2);

    await page.getByRole("tab", { name: "prime-rl-ipo", exact: true }).click();
    expect(await text()).toBe(correction_text);
    expect(await readText(config)).toContain("No settings of prime-rl-ipo do exactly this.");
    await page.getByRole("tab", { name: "verl", exact: true }).click();
    await config.getByRole("button", { name: "Try that" }).click();
    expect(await text()).toBe("none");
    await eventually(() => readText(config)).toContain("That is this one.");
    await page.goBack();
    await eventually(text).toBe(correction_text);
    expect(errors).toEqual([]);
  });

  it("labels the histogram to its end, and counts what is clipped exactly", async () => {
    await goTo(page, server.url, "#/correct?correction=weight:token+truncate:..2");
    await exactIsThere();
    await page.getByRole("link", { name: "4 tokens clipped", exact: true }).waitFor();
  });

  it("shows the steps, and counts those that are chosen alone", async () => {
    await goTo(page, server.url, "#/correct?correction=mask:token.ratio:0.95..1.05");
    await exactIsThere();
    const all = await exactCell("kept sequences");
    const chart = page.getByRole("slider", { name: /^Rejected/ });
    await chart.scrollIntoViewIfNeeded();
    const box = (await chart.boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.3, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + box.height / 2, { steps: 4 });
    await page.mouse.up();
    const chip = page.getByRole("button", { name: /^steps .*: show all steps/ });
    await chip.waitFor();
    await eventually(() => exactCell("kept sequences")).not.toBe(all);
    await exactIsThere();
    await expectShown(await runOffered());
    await chip.click();
    await eventually(() => exactCell("kept sequences")).toBe(all);
  });

  it("leads from bars of the histogram to their tokens", async () => {
    await goTo(page, server.url, "#/correct?correction=weight:token+truncate:..1.05");
    const canvas = page.locator(".threshold-histogram canvas");
    const box = (await canvas.boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.2, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.3, box.y + 40, { steps: 4 });
    await page.mouse.up();
    await page.getByRole("link", { name: /tokens Δ/ }).waitFor();
    const [, from, to] = /bins=(-[\d.]+)\.\.(-[\d.]+)/.exec(page.url()) ?? [];
    await page.getByRole("link", { name: /tokens Δ/ }).click();
    await settled(page);
    expect(decodeURIComponent(page.url())).toMatch(/#\/tokens\?.*filter=delta:/);
    const rows = page.locator(".tokens-view [role=row]:has([role=gridcell], td), .tokens-view tbody tr");
    await eventually(() => rows.count()).toBeGreaterThan(0);
    const shown = await page.evaluate<{ occurrences: { delta: number }[] }>(
      `fetch("api/match/tokens?filter=" + encodeURIComponent("delta:${from}..${to}")).then((answer) => answer.json())`,
    );
    expect(shown.occurrences.length).toBeGreaterThan(0);
    for (const { delta } of shown.occurrences) {
      expect(delta).toBeGreaterThanOrEqual(Number(from));
      expect(delta).toBeLessThanOrEqual(Number(to));
    }
    expect(errors).toEqual([]);
  });
});
