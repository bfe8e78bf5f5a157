import type { RunInfo } from "../../src/protocol/view.ts";

export interface ViewProps {
  readonly info: RunInfo;
}
