import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { RunningView } from "../../bench/support/view-server.mjs";
import { eventually, goTo, hasBrowser, openPage, readText, warnWithoutBrowser } from "../support/browser.ts";
import { DEMO, DEMO_FLAGS } from "../support/built-view.ts";
import { useViewer } from "../support/use-viewer.ts";

warnWithoutBrowser("links to sequences");

describe.skipIf(!hasBrowser)("a link to a sequence", () => {
  let whole: RunningView;
  let part: RunningView;
  let page: Page;
  let errors: string[];
  useViewer(async (browser, place) => {
    [whole, part] = await Promise.all([
      place.serve(DEMO, ...DEMO_FLAGS),
      place.serve(DEMO, ...DEMO_FLAGS, "--steps", "30..150"),
    ]);
    ({ page, errors } = await openPage(browser));
  });

  const title = () => readText(page.locator(".sequence-title h1"));
  const alert = () => readText(page.locator("main [role=alert]"));
  const hash = () => new URL(page.url()).hash.replace(/\?.*/, "");

  it("names its handle, and opens the same sequence in a run that was read in part", async () => {
    await goTo(page, whole.url, "#/steps");
    const link = page
      .getByRole("list", { name: "Where to look first" })
      .getByRole("listitem")
      .filter({ hasText: "Worst token" })
      .getByRole("link");
    await eventually(() => link.getAttribute("href")).toMatch(/^#\/sequence\/s\d+\.q\d+\/t\d+\?/);
    const handle = await readText(link);
    await link.click();
    await eventually(title).toBe(handle.replace(/\.t\d+$/, ""));
    expect(hash()).toBe(`#/sequence/${handle.replace(".t", "/t")}`);
    await goTo(page, part.url, new URL(page.url()).hash);
    await eventually(title).toBe(handle.replace(/\.t\d+$/, ""));
    expect(await readText(page.locator(".pinned-cards .card-place").first())).toContain(`${handle} `);
    expect(errors).toEqual([]);
  });

  it("may be a handle alone, with its token, or the place of an older address", async () => {
    for (const address of ["#/s30.q48.t39", "#/sequence/s30.q48.t39", "#/sequence/s30.q48/t39?pins=39"]) {
      await goTo(page, whole.url, "#/steps");
      await goTo(page, whole.url, address);
      await eventually(title).toBe("s30.q48");
      await eventually(hash).toBe("#/sequence/s30.q48/t39");
      await eventually(() => page.locator(".strip .t.current").count()).toBe(1);
    }
    await goTo(page, whole.url, "#/sequence/176/t39");
    await eventually(title).toBe("s30.q48");
    await eventually(hash).toBe("#/sequence/s30.q48/t39");
    expect(errors).toEqual([]);
  });

  it("says what of it is not understood, and that a row is not a handle", async () => {
    const said = page.locator("main .hint[role=alert]");
    await goTo(page, whole.url, "#/tokens?v=99&steps=abc&by=foo");
    await eventually(() => readText(said)).toMatch(
      /^v=99 is not .* steps=abc is not like .* by=foo is not one of/,
    );
    await goTo(page, whole.url, "#/tokens?v=1&by=class&steps=10..30");
    await eventually(() => said.count()).toBe(0);
    await goTo(page, whole.url, "#/steps?steps=999..1000");
    await eventually(() => readText(said)).toBe("No step lies in 999..1000: the run has 10 to 150.");
    await goTo(page, part.url, "#/sequence/176");
    await eventually(hash).toMatch(/^#\/sequence\/s\d+\.q\d+$/);
    expect(await readText(page.locator("main .hint[role=status]"))).toMatch(
      /^The address has row 176 of the list instead of a handle/,
    );
    await page.getByRole("link", { name: "next →" }).click();
    await eventually(() => page.locator("main p.hint").count()).toBe(0);
    // Requests about no steps are refused.
    expect(errors.splice(0).filter((error) => !error.includes("404"))).toEqual([]);
  });

  it("that leads nowhere says what was looked for and what there is", async () => {
    for (const [server, address, said] of [
      [
        whole,
        "#/sequence/s12.q99",
        /^s12\.q99 is not in this run: it has no step 12\. It has 768 sequences, from s10\.q0 to s150\.q63\./,
      ],
      [
        whole,
        "#/sequence/s10.q99/t4",
        /^s10\.q99 is not in this run: step 10 has 64 sequences, from s10\.q0 to s10\.q63\./,
      ],
      [
        part,
        "#/sequence/s20.q1",
        /^s20\.q1 is not in this run: it has no step 20\..* The run was read with .*--steps 30\.\.150/,
      ],
      [whole, "#/group/s12.q99", /^s12\.q99 is not in this run/],
      [whole, "#/sequence/nothing", /^nothing is not the handle of a sequence, such as s12\.r3\.q41/],
      [whole, "#/sequence/99999", /^There is no sequence 99999/],
      [whole, "#/sequence/s30.q48/t999", /^s30\.q48 has no token t999: its response has \d+ tokens/],
      [whole, "#/nonsense", /^The address names no view: nonsense is not one of answer, steps, /],
    ] as const) {
      await page.goto(`${server.url}${address}`);
      await eventually(alert).toMatch(said);
      if (!address.includes("t999")) expect(await page.locator(".sequence-title").count(), address).toBe(0);
    }
    expect(errors).toEqual([]);
  });
});
