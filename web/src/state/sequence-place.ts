/**
 * Looks up the sequence that the address names, in the table of this run or of the compared one (`run=b`).
 *
 * @module
 */
import { useEffect } from "preact/hooks";
import type { RunInfo } from "../../../src/results/view.ts";
import type { SequenceTable } from "../../../src/results/wire/table.ts";
import { comparedWith } from "./compared-with.ts";
import { describeMissing, findSequence, nameSequence } from "./handles.ts";
import { type Loaded, otherRun, run, table } from "./loaded.ts";
import { navigate, route, setNames } from "./url.ts";

/** Links are drawn before the table is loaded, and again when it is. */
setNames((sequence, params) => {
  const info = run().value;
  if (info.state !== "ready" || info.value.kind !== "view-run") return undefined;
  const other = params.run === "b" ? comparedWith(info.value, params.with ?? "") : undefined;
  if (params.run === "b" && other === undefined) return undefined;
  const loaded = (other === undefined ? table() : otherRun(other).table()).value;
  return loaded.state === "ready" ? nameSequence(loaded.value, sequence) : undefined;
});

export interface SequencePlace {
  readonly index: number;
  /** Places of all sequences that the address may mean. */
  readonly same: readonly number[];
}

/** The place that the address names. The table is only requested if a name needs it: the text comes first. */
export function useSequencePlace(of: () => { readonly value: Loaded<SequenceTable> }): Loaded<SequencePlace> {
  const { sequence, name } = route.value;
  const loaded = name === undefined ? undefined : of().value;
  const found = loaded?.state === "ready" ? findSequence(loaded.value, name!) : undefined;
  const { index, token } = found ?? {};
  useEffect(() => {
    // A token within a handle (s12.q41.t880) moves to where links have it.
    if (index !== undefined && token !== undefined)
      navigate({ sequence: index, token, params: { pins: String(token) } }, { replace: true });
  }, [index, token]);
  if (loaded === undefined) return { state: "ready", value: { index: sequence ?? 0, same: [] } };
  if (loaded.state !== "ready") return loaded;
  if (found === undefined) return { state: "failed", message: describeMissing(loaded.value, name!) };
  return { state: "ready", value: found };
}

/** Once the table is loaded, an address by place becomes one by handle, which stays valid when more is read. */
export function useNamedAddress(loaded: SequenceTable | undefined): void {
  const { sequence } = route.value;
  useEffect(() => {
    if (loaded !== undefined && sequence !== undefined) navigate({}, { replace: true });
  }, [loaded, sequence]);
}

/** Possible reasons why a sequence is missing, from how the run was read. */
export function describeRead({ status, input: { flags } }: Pick<RunInfo, "status" | "input">): string {
  const read = flags.length === 0 ? "" : ` The run was read with ${flags.join(" ")}.`;
  return `${read}${status === "reading" ? " It is still being read." : ""}`;
}
