/**
 * Runs a verb in this process and keeps what it prints.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import type { ExitStatus } from "../exit-status.ts";
import type { Terminal } from "../terminal.ts";

export const DEMO = fileURLToPath(new URL("../../../../examples/demo", import.meta.url));

export interface Captured {
  readonly status: ExitStatus;
  readonly out: string;
  readonly err: string;
}

export async function captured(verb: (terminal: Terminal) => Promise<ExitStatus>): Promise<Captured> {
  const text = { out: "", err: "" };
  const status = await verb({
    height: 24,
    width: 100,
    color: false,
    unicode: true,
    interactive: false,
    progress: false,
    paint: (_, words) => words,
    out: (words) => {
      text.out += words;
    },
    data: (words) => {
      text.out += words;
    },
    err: (words) => {
      text.err += words;
    },
  });
  return { status, ...text };
}

/** Interrupts as soon as somebody listens, however long it took to load what does. */
export function interruptWhenHeard(before: number): void {
  const timer = setInterval(() => {
    if (process.listenerCount("SIGINT") <= before) return;
    clearInterval(timer);
    process.emit("SIGINT");
  }, 1);
}
