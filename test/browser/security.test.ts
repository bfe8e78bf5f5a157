import { request } from "node:http";
import type { Browser } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { RunningView } from "../../bench/support/view-server.mjs";
import { goTo, hasBrowser, listViews, openPage, settled, warnWithoutBrowser } from "../support/browser.ts";
import { DEMO, DEMO_FLAGS, type Workplace } from "../support/built-view.ts";
import { useViewer } from "../support/use-viewer.ts";

warnWithoutBrowser("who may ask the viewer");

const QUESTION = JSON.stringify({ correction: "weight:token truncate:..2" });

function status(
  url: string,
  method = "GET",
  headers: Record<string, string> = {},
  body = "",
): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode!);
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

describe.skipIf(!hasBrowser)("who may ask", () => {
  let browser: Browser;
  let place: Workplace;
  let server: RunningView;
  useViewer(async (aBrowser, aPlace) => {
    browser = aBrowser;
    place = aPlace;
    server = await place.serve(DEMO, ...DEMO_FLAGS);
  });

  it("answers only under its own names", async () => {
    const { host } = new URL(server.url);
    expect(await status(`${server.url}api/run`)).toBe(200);
    expect(await status(`${server.url}api/run`, "GET", { host: "localhost:1234" })).toBe(200);
    for (const name of ["evil.example", `evil.example:${host.split(":")[1]}`, "127.0.0.1.evil.example"])
      expect(await status(`${server.url}api/run`, "GET", { host: name }), name).toBe(421);
  });

  it("takes questions from its own page only", async () => {
    const json = { "content-type": "application/json" };
    const ask = (headers: Record<string, string>): Promise<number> =>
      status(`${server.url}api/correct`, "POST", headers, QUESTION);
    expect(await ask({ ...json, origin: server.url.slice(0, -1) })).toBe(200);
    expect(await ask({ ...json, origin: "http://evil.example" })).toBe(403);
    expect(await ask({ ...json, origin: "null" })).toBe(403);
    expect(await ask({ ...json, "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await ask({ "content-type": "text/plain" })).toBe(415);
  });

  it("asks for the token where others can reach it, and a browser needs it once", async () => {
    const open = await place.serveWithToken(DEMO, ...DEMO_FLAGS, "--host", "0.0.0.0");
    const given = new URL(open.url);
    const token = given.searchParams.get("token")!;
    expect(token.length).toBeGreaterThan(20);
    const here = `http://127.0.0.1:${given.port}/`;
    expect(await status(here)).toBe(401);
    expect(await status(`${here}api/run`)).toBe(401);
    expect(await status(`${here}api/run?token=wrong`)).toBe(401);
    expect(await status(`${here}api/run`, "GET", { authorization: `Bearer ${token}` })).toBe(200);
    expect(await status(`${here}?token=${token}`)).toBe(303);

    const { page, errors } = await openPage(browser);
    await page.goto(`${here}?token=${token}#/tokens`);
    await settled(page);
    expect(page.url()).not.toContain(token);
    expect(page.url()).toContain("#/tokens");
    await page.reload();
    await settled(page);
    expect(errors).toEqual([]);
    await page.close();
  });

  it("asks for the token on this machine too, and all of the page works with it", async () => {
    const own = await place.serveWithToken(DEMO, ...DEMO_FLAGS);
    const given = new URL(own.url);
    expect(given.searchParams.get("token")).toMatch(/^[\w-]{32}$/);
    // A separate page: its icon is refused too, at a time of the browser's choosing.
    const { page: outside } = await openPage(browser);
    const refused = await outside.goto(`${given.origin}/`);
    expect(refused!.status()).toBe(401);
    expect(await outside.textContent("body")).toContain("?token=");
    await outside.close();
    const { page, errors } = await openPage(browser, { acceptDownloads: true });

    await page.goto(`${own.url}#/sequence/0/t3?pins=3`);
    await settled(page);
    expect(page.url()).toMatch(/^http:\/\/[^/?]+\/#\/sequence\/s\d+[^?]*\/t3\?v=1&pins=3$/);
    expect(page.url().startsWith(`${given.origin}/#`)).toBe(true);
    expect(await page.evaluate<string>("document.cookie")).toBe("");
    // Known from now on under an address without a token, which "Copy link" gives.
    await goTo(page, `${given.origin}/`, "#/sequences");
    const button = page.locator(".export-menu > button").first();
    const name = ((await button.getAttribute("aria-label")) ?? "").slice(7);
    for (const format of ["CSV", "JSON", "Parquet"]) {
      await button.click();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page
          .getByRole("menu", { name: new RegExp(name) })
          .or(page.getByRole("menu"))
          .first()
          .getByRole("menuitem", { name: format, exact: true })
          .click(),
      ]);
      expect(await download.failure(), format).toBeNull();
    }
    expect(errors).toEqual([]);
    await page.close();
  });

  it("tells no text of a redacted run", async () => {
    const told = (await (await fetch(`${server.url}api/tokens`)).json()) as {
      occurrences: { sequence: number; before: string; after: string }[];
    };
    // Words with a space between, long enough to be unique.
    const found = told.occurrences.flatMap(({ sequence, before, after }) =>
      [before, after].flatMap((text) => {
        const phrase = /[a-z]{2,} [a-zA-Z0-9+*=. ]{6,}/.exec(text)?.[0];
        return phrase === undefined ? [] : [{ sequence, phrase }];
      }),
    );
    const phrases = [...new Set(found.map(({ phrase }) => phrase))].slice(0, 60);
    expect(phrases.length).toBeGreaterThan(20);
    const { sequence, phrase } = found[0]!;
    expect(await (await fetch(`${server.url}api/sequence/${sequence}`)).text()).toContain(phrase);

    const redacted = await place.serve(DEMO, ...DEMO_FLAGS, "--redact", "text");
    const { page, errors } = await openPage(browser);
    const answers: { path: string; body: Buffer }[] = [];
    page.on("response", (response) => {
      const { pathname } = new URL(response.url());
      if (!pathname.startsWith("/api/") || pathname === "/api/events") return;
      response.body().then(
        (body) => answers.push({ path: pathname, body }),
        () => {},
      );
    });
    for (const { hash } of await listViews(page, redacted.url)) await goTo(page, redacted.url, hash);
    await goTo(page, redacted.url, "#/sequence/0/t3?pins=3");
    for (const path of ["report", "steps", "tokens", "correct-bins", "sequences", `sequence/${sequence}`])
      answers.push({
        path,
        body: Buffer.from(await (await fetch(`${redacted.url}api/${path}`)).arrayBuffer()),
      });
    expect(answers.length).toBeGreaterThan(8);
    for (const { path, body } of answers)
      for (const text of phrases) expect(body.includes(text), `${text} in ${path}`).toBe(false);
    expect(errors).toEqual([]);
  });
});
