import type { Choices } from "../choices.ts";
import type { Follow, Held, Linked } from "../linked.ts";
import type { Fates } from "../model/fate.ts";
import type { Hits } from "../model/find.ts";
import type { Numbers } from "../model/numbers.ts";
import type { TokenRun } from "../model/runs.ts";
import type { SequenceModel } from "../model/sequence-model.ts";
import type { Strip } from "./strip.ts";

export interface TokenStripProps {
  readonly model: SequenceModel;
  readonly choices: Choices;
  readonly fates: Fates;
  readonly values: Float64Array;
  readonly numbers: Numbers;
  readonly hits: Hits | undefined;
  readonly linked: Linked;
  /** How the next change of the current token is followed. */
  readonly follow: Held<Follow>;
  readonly strip: Held<Strip | undefined>;
  readonly onPick: (token: number) => void;
  readonly onGoTo: (token: number) => void;
  readonly onToggle: (run: TokenRun) => void;
}
