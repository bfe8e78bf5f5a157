import fc from "fast-check";
import { type Call, type Fault, type FaultKind, kindsFor } from "./injected.ts";

/** Calls of one line of our code: of those that happen a hundred times no more are drawn than of those that happen once. */
function groupCalls(calls: readonly Call[]): Call[][] {
  const groups = new Map<string, Call[]>();
  for (const call of calls) {
    const key = `${call.op} ${call.sites.slice(0, 3).join(" ")}`;
    groups.set(key, [...(groups.get(key) ?? []), call]);
  }
  return [...groups.values()];
}

/** Points at which to disturb a run: every line in its turn, in a drawn order, with a drawn fault. */
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
