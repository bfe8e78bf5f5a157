import type { ViewProps } from "../../view-props.ts";

export function SequencesView({ info }: ViewProps) {
  return <p>{info.sequences} sequences</p>;
}
