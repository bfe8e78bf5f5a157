import type { RunInfo, StudyInfo } from "../../src/results/view.ts";

export interface ViewProps {
  readonly info: RunInfo;
}

/** The properties of views that show a study of checkpoints. */
export interface StudyViewProps {
  readonly info: StudyInfo;
}
