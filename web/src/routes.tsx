import type { ComponentType } from "preact";
import type { RunInfo } from "../../src/results/view.ts";
import type { ViewName } from "./state/url.ts";
import type { StudyViewProps, ViewProps } from "./view-props.ts";
import { AnswerView } from "./views/answer/view.tsx";
import { CompareView } from "./views/compare/view.tsx";
import { CorrectView } from "./views/correct/view.tsx";
import { DigitsView } from "./views/digits/view.tsx";
import { TokensView } from "./views/divergence/view.tsx";
import { DoctorView } from "./views/doctor/view.tsx";
import { GroupView } from "./views/group/view.tsx";
import { HealthView } from "./views/health/view.tsx";
import { CheckpointsView } from "./views/kl/view.tsx";
import { StepsView } from "./views/report/view.tsx";
import { SequencesView } from "./views/sequences/view.tsx";
import { SequenceView } from "./views/show/view.tsx";
import { SqlView } from "./views/sql/view.tsx";
import { StoryView } from "./views/story/view.tsx";

/** Every view; those without a title are reached from others. */
export const ROUTES: readonly {
  readonly name: ViewName;
  readonly title?: string;
  /** The key after `g`; default: the first letter of the title. */
  readonly key?: string;
  readonly View: ComponentType<ViewProps>;
  /** The view beside which it is listed; `more` is a menu. */
  readonly under?: "sequences" | "more";
  /** Shown in the list of views only where it has something to show. */
  readonly when?: (info: RunInfo) => boolean;
}[] = [
  { name: "answer", title: "Answer", View: AnswerView },
  { name: "steps", title: "Steps", key: "o", View: StepsView },
  { name: "sequences", title: "Answers & tokens", key: "s", View: SequencesView },
  { name: "tokens", title: "Tokens", under: "sequences", View: TokensView },
  { name: "sequence", under: "sequences", View: SequenceView },
  { name: "group", under: "sequences", View: GroupView },
  { name: "doctor", title: "Cause", key: "h", View: DoctorView },
  { name: "correct", title: "Correction", key: "r", View: CorrectView },
  { name: "health", title: "Health", key: "e", under: "more", View: HealthView },
  {
    name: "compare",
    title: "Compare",
    under: "more",
    View: CompareView,
    when: ({ compared }) => compared.length > 0,
  },
  { name: "digits", title: "Digits", under: "more", View: DigitsView, when: ({ has }) => has.digits },
  { name: "sql", title: "SQL", key: "q", under: "more", View: SqlView },
  { name: "story", title: "Story", key: "y", under: "more", View: StoryView },
];

/** Every view of a study of checkpoints. */
export const STUDY_ROUTES: readonly {
  readonly name: ViewName;
  readonly title: string;
  readonly View: ComponentType<StudyViewProps>;
}[] = [{ name: "checkpoints", title: "Checkpoints", View: CheckpointsView }];
