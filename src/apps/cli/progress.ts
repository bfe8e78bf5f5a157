import { formatBytes, formatCount, formatFixed } from "../../core/text/index.ts";
import { printable } from "../../render/text/index.ts";
import type { Terminal } from "./terminal.ts";
import { TimeLeft } from "./time-left.ts";

export interface ProgressState {
  readonly bytesRead: number;
  /** 0 if not known (standard input). */
  readonly bytesTotal: number;
  readonly sequences: number;
  readonly file: string;
}

const REDRAW_MS = 100;
/** Reads that finish sooner draw nothing. */
const QUIET_MS = 500;

export interface Progress<State> {
  update(state: State): void;
  /** Clears the line. */
  end(): void;
}

/** A line on standard error with bytes, sequences and time left; only on a terminal, and only for long reads. */
export function createProgress(terminal: Terminal): Progress<ProgressState> {
  const left = new TimeLeft();
  return createProgressFor(terminal, (state, seconds) =>
    progressLine(state, seconds, left.update(state.bytesRead, state.bytesTotal, 1000 * seconds)),
  );
}

/** The same for any other line; `line` receives the seconds since the start. */
export function createProgressFor<State>(
  terminal: Terminal,
  line: (state: State, seconds: number) => string,
): Progress<State> {
  const start = Date.now();
  let last = 0;
  let drawn = false;
  return {
    update(state) {
      const now = Date.now();
      if (!terminal.progress || now - start < QUIET_MS || now - last < REDRAW_MS) return;
      last = now;
      drawn = true;
      terminal.err(`\r\u001b[K${printable(line(state, (now - start) / 1000)).slice(0, terminal.width - 1)}`);
    },
    end() {
      if (drawn) terminal.err("\r\u001b[K");
    },
  };
}

/** `  42 %  1.2 of 2.9 GB, 180 MB/s, 12,345 sequences, 9 s left: step_0010.npz` */
function progressLine(
  { bytesRead, bytesTotal, sequences, file }: ProgressState,
  seconds: number,
  secondsLeft: number | null,
): string {
  const rate = bytesRead / Math.max(seconds, 1e-3);
  const share =
    bytesTotal > 0
      ? `${Math.floor((100 * bytesRead) / bytesTotal)} %  ${formatBytes(bytesRead)} of ${formatBytes(bytesTotal)}`
      : formatBytes(bytesRead);
  if (bytesTotal > 0 && bytesRead >= bytesTotal)
    return `  ${share}, ${formatCount(sequences)} sequences, summing up`;
  const left = secondsLeft === null ? "" : `, ${duration(secondsLeft)} left`;
  return `  ${share}, ${formatBytes(rate)}/s, ${formatCount(sequences)} sequences${left}: ${file}`;
}

export function duration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${formatFixed(seconds / 3600, 1)} h`;
}
