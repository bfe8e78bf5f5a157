import type { ComponentType } from "preact";
import type { RunInfo } from "../../src/results/index.ts";
import type { ViewName } from "./state/url.ts";
import type { StudyViewProps, ViewProps } from "./view-props.ts";
import { CompareView } from "./views/compare/view.tsx";
import { CorrectView } from "./views/correct/view.tsx";
import { DigitsView } from "./views/digits/view.tsx";
import { TokensView } from "./views/divergence/view.tsx";
import { DoctorView } from "./views/doctor/view.tsx";
import { GroupView } from "./views/group/view.tsx";
import { HealthView } from "./views/health/view.tsx";
import { CheckpointsView } from "./views/kl/view.tsx";
import { OverviewView } from "./views/report/view.tsx";
import { SequencesView } from "./views/sequences/view.tsx";
import { SequenceView } from "./views/show/view.tsx";
import { SqlView } from "./views/sql/view.tsx";
import { StoryView } from "./views/story/view.tsx";

/** Every view; those without a title are reached from others. */
export const ROUTES: readonly {
  readonly name: ViewName;
  readonly title?: string;
  /** After `g`; the first letter of the title when absent. */
  readonly key?: string;
  readonly View: ComponentType<ViewProps>;
  /** Shown in the list of views only where it has something to show. */
  readonly when?: (info: RunInfo) => boolean;
}[] = [
  { name: "overview", title: "Overview", View: OverviewView },
  { name: "doctor", title: "Doctor", key: "h", View: DoctorView },
  { name: "health", title: "Health", key: "a", View: HealthView },
  { name: "sequences", title: "Sequences", View: SequencesView },
  { name: "sequence", View: SequenceView },
  { name: "group", View: GroupView },
  { name: "tokens", title: "Tokens", View: TokensView },
  { name: "correct", title: "Correction", key: "r", View: CorrectView },
  { name: "compare", title: "Compare", View: CompareView, when: ({ compared }) => compared.length > 0 },
  { name: "digits", title: "Digits", View: DigitsView, when: ({ has }) => has.digits },
  { name: "sql", title: "SQL", key: "q", View: SqlView },
  { name: "story", title: "Story", key: "y", View: StoryView },
];

/** Every view of a study of checkpoints. */
export const STUDY_ROUTES: readonly {
  readonly name: ViewName;
  readonly title: string;
  readonly View: ComponentType<StudyViewProps>;
}[] = [{ name: "checkpoints", title: "Checkpoints", View: CheckpointsView }];
