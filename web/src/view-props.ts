import type { RunInfo, StudyInfo } from "../../src/results/view.ts";

export interface ViewProps {
  readonly info: RunInfo;
}

/** Of views that show a study of checkpoints. */
export interface StudyViewProps {
  readonly info: StudyInfo;
}
