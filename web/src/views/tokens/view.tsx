import type { ViewProps } from "../../view-props.ts";

export function TokensView({ info }: ViewProps) {
  return <p>{info.sequences} sequences</p>;
}
