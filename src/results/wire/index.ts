/**
 * What the viewer's server and its page send each other. Runs in both.
 *
 * @module
 */

export { TOKEN_CLASSES, TOKEN_FLAGS, type TokenClass, tokenClass } from "../../core/base/index.ts";
export {
  SEQUENCE_COLUMNS,
  SEQUENCE_TEXTS,
  type SequenceColumn,
  type SequenceText,
} from "../metrics/index.ts";
export { decodeArrays, encodeArrays, type WireArray, type WireMessage } from "./arrays.ts";
export {
  BRIEFS_PER_FILE,
  decodeBriefs,
  encodeBrief,
  type SequenceBrief,
  SPARK_BINS,
  sparkLevel,
  sparkRange,
  sparkValue,
} from "./briefs.ts";
export { comparedPath, parseComparedPath } from "./compared-path.ts";
export { formatGroupKey, listGroupMembers } from "./groups.ts";
export { decodeMatches, encodeMatches, type TokenMatches } from "./matches.ts";
export {
  decodeSequence,
  decodeTopK,
  encodeSequence,
  encodeTopK,
  isSpelled,
  type SequenceMeta,
  type UnspelledSequence,
  type WireSequence,
  type WireTopK,
} from "./sequence.ts";
export { textBetween } from "./sequence-text.ts";
export { deltaDifferences, sharedTokens } from "./shared-tokens.ts";
export {
  decodeStudyText,
  encodeStudyText,
  type StudyAlternative,
  type StudySpike,
  type StudyTextMeta,
  type WireStudyText,
} from "./study-text.ts";
export { decodeTable, encodeTable, type SequenceTable, takeTableRows } from "./table.ts";
export { decodeTurns, encodeTurns, listTurns, type TurnFigures, type TurnTable } from "./turns.ts";
