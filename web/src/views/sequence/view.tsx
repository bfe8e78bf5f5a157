import type { ViewProps } from "../../view-props.ts";

export function SequenceView({ info }: ViewProps) {
  return <p>{info.sequences} sequences</p>;
}
