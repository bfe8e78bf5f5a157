import { setFlagsFromString } from "node:v8";

/** By V8's version: Node 20, 22 and 24. An unknown flag would make V8 print an error. */
const FLAGS: ReadonlyMap<string, string> = new Map([
  ["11.3", "--interrupt-budget=400000"],
  ["12.4", "--invocation-count-for-turbofan=20000"],
  ["13.6", "--invocation-count-for-turbofan=20000"],
]);

/** The flag that makes V8 optimize a function about six times as late as by default; undefined where none is known. */
export function optimizeLaterFlag(v8: string): string | undefined {
  return FLAGS.get(v8.split(".").slice(0, 2).join("."));
}

/**
 * Has code run longer before V8 optimizes it. The optimizing compiler, which runs on threads of its own, would take up
 * to half of a small run's CPU time, mostly for functions that are called a few times more. Long loops are still
 * optimized.
 */
export function optimizeLater(): void {
  const flag = optimizeLaterFlag(process.versions.v8);
  if (flag !== undefined) setFlagsFromString(flag);
}
