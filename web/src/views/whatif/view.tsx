import type { ViewProps } from "../../view-props.ts";

export function WhatIfView({ info }: ViewProps) {
  return <p>{info.sequences} sequences</p>;
}
