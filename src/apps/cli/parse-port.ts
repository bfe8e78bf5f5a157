import { UsageError } from "../../core/base/index.ts";

/** @throws UsageError when it is not a port */
export function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`--port must be a number from 0 to 65535, not "${text}"`);
}
