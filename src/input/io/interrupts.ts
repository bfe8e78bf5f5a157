/**
 * The first SIGINT or SIGTERM lets the current work end gracefully; the second one ends the process immediately.
 *
 * @module
 */
const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Callbacks that end work gracefully. */
const stops = new Set<() => void>();
/** Callbacks that clean up when nothing ends gracefully. */
const cleaners = new Set<() => void>();
let signalled = false;

function handle(signal: NodeJS.Signals): void {
  signalled = true;
  // Without listeners the next signal of either kind has the default action: it ends the process.
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
  // A new function, so that the same callback can be registered twice.
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
 * @returns a function that unregisters it
 */
export function onInterrupt(stop: () => void): () => void {
  return add(stops, stop);
}

/**
 * Calls `stop` at the next SIGINT or SIGTERM, for work that has been ending gracefully since the first and can end
 * sooner. The one after that ends the process.
 *
 * @returns a function that unregisters it
 */
export function onNextInterrupt(stop: () => void): () => void {
  const forget = (): void => {
    for (const signal of SIGNALS) process.off(signal, hear);
  };
  const hear = (): void => {
    forget();
    stop();
  };
  for (const signal of SIGNALS) process.on(signal, hear);
  return forget;
}

/**
 * Calls `clean`, which must be synchronous, before a signal ends the process; not if {@link onInterrupt} lets the
 * work end by itself.
 *
 * @returns a function that unregisters it
 */
export function cleanOnInterrupt(clean: () => void): () => void {
  return add(cleaners, clean);
}
