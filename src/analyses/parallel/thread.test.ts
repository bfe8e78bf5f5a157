import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startThread } from "./thread.ts";

describe("a thread", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "thread-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** A worker of a few lines, `port` being the end that it answers on. */
  function worker(name: string, code: string): URL {
    const file = join(folder, `${name}.mjs`);
    writeFileSync(file, `import { parentPort as port } from "node:worker_threads";\n${code}`);
    return pathToFileURL(file);
  }

  it("answers each question with its own answer, in any order", async () => {
    const code = `const held = [];
      port.on("message", (question) => {
        held.push(question);
        if (held.length === 2) for (const { id, task } of held.reverse()) port.postMessage({ id, reply: task * 2 });
      });`;
    const thread = startThread<number, number>(worker("doubles", code));
    expect(await Promise.all([thread.ask(1), thread.ask(2)])).toEqual([2, 4]);
    await thread.close();
  });

  it.each([
    ["throws", 'port.on("message", () => { throw new RangeError("out of range"); });', "out of range"],
    ["exits", 'port.on("message", () => process.exit(3));', "a worker thread ended with code 3"],
    ["cannot be loaded", 'import "./missing.mjs";', "missing.mjs"],
  ])("that %s rejects what is asked of it, then and later", async (name, code, message) => {
    let ends = 0;
    const thread = startThread<number, number>(worker(name.replaceAll(" ", "-"), code), () => ends++);
    await expect(Promise.all([thread.ask(1), thread.ask(2)])).rejects.toThrow(message);
    await expect(thread.ask(3)).rejects.toThrow(message);
    await thread.close();
    expect(ends).toBe(1);
  });

  it("rejects what is unanswered when it is closed, and what cannot be sent", async () => {
    const thread = startThread<unknown, null>(worker("silent", 'port.on("message", () => {});'));
    await expect(thread.ask(() => {})).rejects.toThrow("could not be cloned");
    const unanswered = expect(thread.ask(1)).rejects.toThrow("a worker thread ended");
    await thread.close();
    await unanswered;
  });
});
