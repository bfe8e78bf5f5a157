import type { ViewProps } from "../../view-props.ts";

export function OverviewView({ info }: ViewProps) {
  return <p>{info.sequences} sequences</p>;
}
