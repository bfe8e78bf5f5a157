// How fast the page of one sequence is, measured in the page. Frames are those of requestAnimationFrame; a frame counts
// as painted when the first task after it runs.

/** The product's budgets, milliseconds. */
export const BUDGETS = { firstPaint: 300, worstFrame: 50, metricSwitch: 100 };

export const MEASURE_TITLES = {
  firstPaint: "first colored text after the data, ms",
  worstFrame: "worst frame while scrolling, ms",
  slowFrames: "frames over 50 ms while scrolling",
  metricSwitch: "another metric, the slowest, ms",
  find: "a letter found in the whole text, ms",
  nodes: "most DOM nodes",
};

/** Opens the sequence in an empty page and measures it. */
export async function measureSequence(page, url, sequence = 0) {
  await page.addInitScript(installProbes);
  await page.goto(`${url}#/sequence/${sequence}`);
  await page.waitForFunction(() => globalThis.logratioProbes.firstPaint !== undefined, undefined, {
    timeout: 60_000,
  });
  const firstPaint = await page.evaluate((index) => {
    const [data] = performance
      .getEntriesByType("resource")
      .filter(({ name }) => name.includes(`/sequence/${index}`));
    return globalThis.logratioProbes.firstPaint - data.responseEnd;
  }, sequence);
  // The following measurements need a page at rest.
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve, { timeout: 2000 })));
  const scrolling = await page.evaluate(scroll);
  const metricSwitch = await page.evaluate(switchMetrics);
  const find = await page.evaluate(findLetter);
  return { firstPaint, ...scrolling, metricSwitch, find };
}

/** Runs in the page before its own code. */
function installProbes() {
  const painted = () =>
    new Promise((resolve) => {
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve(performance.now());
        port2.postMessage(null);
      });
    });
  const probes = { painted, firstPaint: undefined };
  globalThis.logratioProbes = probes;
  const look = async () => {
    while (document.querySelector(".strip .t[class*=' q']") === null) await painted();
    probes.firstPaint = performance.now();
  };
  look();
}

/** Runs in the page: half a screen per frame for two seconds, then jumps all over the text. */
async function scroll() {
  const strip = document.querySelector(".strip");
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const frames = [];
  let nodes = 0;
  let last = await frame();
  const step = async (top) => {
    strip.scrollTop = top;
    const now = await frame();
    frames.push(now - last);
    last = now;
    nodes = Math.max(nodes, document.querySelectorAll("*").length);
  };
  for (let at = 0; at < 120; at++) await step(strip.scrollTop + strip.clientHeight / 2);
  const reach = strip.scrollHeight - strip.clientHeight;
  for (let at = 0; at < 40; at++) await step(reach * ((at * 0.618) % 1));
  const worstFrame = Math.max(...frames);
  return { worstFrame, slowFrames: frames.filter((length) => length > 50).length, nodes };
}

/** Runs in the page: from the click to the frame that shows other colors. */
async function switchMetrics() {
  const { painted } = globalThis.logratioProbes;
  const shades = () =>
    [...document.querySelectorAll(".strip .t")]
      .slice(0, 2000)
      .map(({ className }) => className)
      .join();
  let worst = 0;
  const choices = [...document.querySelectorAll("input[name=metric]")];
  // The chosen one comes last.
  for (const choice of [
    ...choices.filter(({ checked }) => !checked),
    choices.find(({ checked }) => checked),
  ]) {
    const before = shades();
    const start = performance.now();
    choice.click();
    let end = await painted();
    for (let tries = 0; shades() === before && tries < 60; tries++) end = await painted();
    if (shades() === before) throw new Error("another metric changed no color");
    worst = Math.max(worst, end - start);
  }
  return worst;
}

/** Runs in the page: from Enter in the box to the frame that shows the number of hits. */
async function findLetter() {
  const { painted } = globalThis.logratioProbes;
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "/", bubbles: true }));
  await painted();
  const input = document.querySelector(".find-band input");
  input.value = "e";
  const count = () => document.querySelector(".find-said strong");
  const start = performance.now();
  input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
  let end = await painted();
  for (let tries = 0; count() === null && tries < 60; tries++) end = await painted();
  if (count() === null) throw new Error("no letter was found");
  return end - start;
}
