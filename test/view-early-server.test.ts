import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { captured, DEMO } from "../src/apps/cli/commands/captured.test-data.ts";
import { EXIT } from "../src/apps/cli/exit-status.ts";
import { EarlyServer } from "../src/apps/cli/serve-run.ts";
import type { Terminal } from "../src/apps/cli/terminal.ts";

const OPTIONS = { open: false, logged: [] };

// Real sockets, fake intervals.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] }));
afterEach(() => void vi.useRealTimers());

/** Reads for a second, is interrupted before or right after that, and returns whether a server was running. */
async function interruptedServer(when: "before" | "after", terminal: Terminal): Promise<boolean> {
  const stop = new AbortController();
  const early = new EarlyServer([DEMO], OPTIONS, terminal, stop.signal);
  early.onProgress({ bytesRead: 1, bytesTotal: 2, sequences: 1, file: "a" });
  if (when === "before") stop.abort();
  vi.advanceTimersByTime(1000);
  stop.abort();
  const server = await early.settle();
  await server?.close();
  return server !== undefined;
}

it.each([
  ["before", false],
  ["after", true],
] as const)("tells no address where it was interrupted %s the server started", async (when, started) => {
  const { out, err } = await captured(async (terminal) => {
    expect(await interruptedServer(when, terminal)).toBe(started);
    return EXIT.interrupted;
  });
  expect([out, err]).toEqual(["", ""]);
});

it("tells the address otherwise", async () => {
  const { out } = await captured(async (terminal) => {
    const early = new EarlyServer([DEMO], OPTIONS, terminal, new AbortController().signal);
    early.onProgress({ bytesRead: 1, bytesTotal: 2, sequences: 1, file: "a" });
    vi.advanceTimersByTime(1000);
    await (await early.settle())?.close();
    return EXIT.fine;
  });
  expect(out).toMatch(/^http:\/\/127\.0\.0\.1:/);
});
