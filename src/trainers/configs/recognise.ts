/**
 * Finds the trainer of a config: each trainer scores points for settings and keys that only it has.
 *
 * @module
 */

import type { LintConfidence } from "../../results/lint.ts";
import type { ConfigDocument } from "../shared/config-entry.ts";
import type { ConfigView, NamedDialect } from "../shared/dialect.ts";
import type { Preset } from "../shared/preset.ts";
import { findMarked, findSetting, isCallTo } from "./view.ts";

export interface Recognition {
  readonly dialect: NamedDialect;
  readonly confidence: LintConfidence;
  /** Evidence for it, at most four entries. */
  readonly because: readonly string[];
  readonly score: number;
  /** The second-best trainer, when it is close. */
  readonly rival?: NamedDialect;
}

/** Must exceed the score of one key that many projects could have. */
const ENOUGH = 4;
const POINTS = { call: 10, sectionSetting: 10, ownSetting: 6, mark: 3, textMark: 2 } as const;
const MOST_MARKS = 9;
/** A setting whose name many trainers could have is not evidence on its own. */
const COMMON =
  /^(level|action|metric|agg|upper|lower|filters|type|token_level_loss|enabled|policy_loss_type|eps_clip_(low|high)|eps)$/;

export function isCommon(name: string): boolean {
  return COMMON.test(name);
}

/** The trainer that fits best; undefined when none fits. */
export function recognise(
  view: ConfigView,
  dialects: readonly NamedDialect[],
  presets: readonly Preset[],
): Recognition | undefined {
  const inner = dialects.find(
    ({ inside, textMarks = [] }) => inside && textMarks.some((mark) => mark.test(view.text)),
  );
  const scored = dialects
    .filter(({ name, inside }) => (inside === undefined ? name !== inner?.inside : name === inner?.name))
    .map((dialect) => ({ dialect, ...scoreDialect(view, dialect, presets, dialects) }))
    .sort((a, b) => b.score - a.score);
  const [best, second] = scored;
  if (!best || best.score < ENOUGH) return undefined;
  const close = second !== undefined && second.score * 2 > best.score && !(best.named && !second.named);
  const confidence = best.score >= 10 && !close ? "certain" : best.score >= 6 ? "likely" : "guess";
  return {
    dialect: best.dialect,
    confidence,
    because: best.because.slice(0, 4),
    score: best.score,
    ...(close && second && { rival: second.dialect }),
  };
}

interface Score {
  readonly score: number;
  readonly because: readonly string[];
  /** Whether the file's text names the trainer. */
  readonly named: boolean;
  /** Number of settings found. */
  readonly settings: number;
}

/** The evidence for a trainer in the keys of the release that has the most; 0 when only the file's text names it. */
export function scoreDialect(
  view: ConfigView,
  dialect: NamedDialect,
  presets: readonly Preset[],
  dialects: readonly NamedDialect[],
): Score {
  const scores = [dialect, ...dialect.earlier].map((one) => scoreKeys(view, one, presets, dialects));
  return scores.reduce((best, score) => (score.score > best.score ? score : best));
}

/** The same in the keys of one dialect. */
export function scoreKeys(
  view: ConfigView,
  dialect: NamedDialect,
  presets: readonly Preset[],
  dialects: readonly NamedDialect[],
): Score {
  const { document, text } = view;
  const because: string[] = [];
  let score = 0;
  if (isCallTo(document, dialect)) {
    const shared = dialects.filter(
      ({ inside, callees }) => inside === undefined && callees.includes(document.callee as string),
    ).length;
    score += POINTS.call / Math.max(1, shared);
    because.push(`a call of ${document.callee}`);
  }
  const found = listSettings(dialect, view, presets).flatMap((name) => {
    const entry = findSetting(document, dialect, name);
    return entry ? [{ name, entry }] : [];
  });
  // A call of another class may have an argument with the same name.
  if (document.callee !== undefined && score === 0 && found.length < 2)
    return { score: 0, because, named: false, settings: 0 };
  for (const { name, entry } of found) {
    const alone = entry.path.length <= 1;
    if (alone && isCommon(name)) continue;
    const owners = dialects.filter(
      (other) => other.inside === undefined && listSettings(other, view, presets).includes(name),
    ).length;
    score += (alone ? POINTS.ownSetting : POINTS.sectionSetting) / Math.max(1, owners);
    because.push(`${entry.key} (line ${entry.line})`);
  }
  score += Math.min(MOST_MARKS, POINTS.mark * countMarks(document, dialect, because));
  const named = dialect.textMarks?.some((mark) => mark.test(text)) ?? false;
  return {
    score: score > 0 && named ? score + POINTS.textMark : score,
    because,
    named,
    settings: found.length,
  };
}

function countMarks(document: ConfigDocument, dialect: NamedDialect, because: string[]): number {
  return dialect.marks.filter((mark) => {
    const entry = findMarked(document, mark);
    if (entry && !because.some((reason) => reason.startsWith(entry.key))) {
      because.push(`${entry.key} (line ${entry.line})`);
    }
    return entry !== undefined;
  }).length;
}

/** The settings of a dialect under the names that it has for them. */
export function listSettings(
  dialect: NamedDialect,
  view: ConfigView,
  presets: readonly Preset[],
): readonly string[] {
  const { names = {}, formulasOnly } = dialect;
  const preset = dialect.preset(view);
  const parameters = presets.find(({ name }) => name === preset)?.parameters ?? [];
  return parameters.flatMap(({ name }) => names[name] ?? (formulasOnly ? [] : name));
}
