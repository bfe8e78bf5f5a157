import fc from "fast-check";
import { type Call, type Fault, type FaultKind, kindsFor } from "./injected.ts";

/**
 * Groups calls by the line of our code: a line that runs a hundred times is chosen no more often than one that runs
 * once.
 */
function groupCalls(calls: readonly Call[]): Call[][] {
  const groups = new Map<string, Call[]>();
  for (const call of calls) {
    const key = `${call.op} ${call.sites.slice(0, 3).join(" ")}`;
    groups.set(key, [...(groups.get(key) ?? []), call]);
  }
  return [...groups.values()];
}

/** Points at which to disturb a run: every line in turn, in random order, with a random fault. */
export function drawFaults(calls: readonly Call[], count: number, seed: number): Fault[] {
  const groups = groupCalls(calls);
  const draws = fc.sample(fc.tuple(fc.nat(), fc.nat(), fc.nat(), fc.nat()), {
    numRuns: count + groups.length,
    seed,
  });
  const order = groups
    .map((group, i) => ({ group, at: draws[count + i]![0] }))
    .sort((a, b) => a.at - b.at)
    .map(({ group }) => group);
  return draws.slice(0, count).map(([, which, how, times], i) => {
    const group = order[i % order.length]!;
    const call = group[which % group.length]!;
    const kinds = kindsFor(call);
    const kind: FaultKind = kinds[how % kinds.length]!;
    const isLasting = kind === "full" || (kind === "eio" && times % 2 === 0);
    return { kind, call: call.at, ...(isLasting && { times: 1_000_000 }) };
  });
}
