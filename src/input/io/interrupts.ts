/**
 * The first SIGINT or SIGTERM lets the work at hand end as it should; the second one ends the process, whatever it does.
 *
 * @module
 */
const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** What ends gracefully. */
const stops = new Set<() => void>();
/** What is removed when nothing ends gracefully. */
const cleaners = new Set<() => void>();
let signalled = false;

function handle(signal: NodeJS.Signals): void {
  signalled = true;
  // With nobody listening the next signal, of either kind, has the system's default action: it ends the process.
  unlisten();
  if (stops.size > 0) {
    for (const stop of [...stops]) stop();
    return;
  }
  for (const clean of [...cleaners]) clean();
  process.kill(process.pid, signal);
}

function listen(): void {
  if (signalled) return;
  for (const signal of SIGNALS) if (!process.listeners(signal).includes(handle)) process.on(signal, handle);
}

function unlisten(): void {
  for (const signal of SIGNALS) process.off(signal, handle);
}

function add(set: Set<() => void>, callback: () => void): () => void {
  // A function of its own, so that the same callback may be given twice.
  const entry = (): void => callback();
  set.add(entry);
  listen();
  return () => {
    set.delete(entry);
    if (stops.size + cleaners.size > 0) return;
    unlisten();
    signalled = false;
  };
}

/**
 * Calls `stop` at the first SIGINT or SIGTERM, and leaves the second to the system, which ends the process.
 *
 * @returns ends that
 */
export function onInterrupt(stop: () => void): () => void {
  return add(stops, stop);
}

/**
 * Calls `clean`, which must be synchronous, before a signal ends the process; not where {@link onInterrupt} lets the
 * work end by itself.
 *
 * @returns ends that
 */
export function cleanOnInterrupt(clean: () => void): () => void {
  return add(cleaners, clean);
}
