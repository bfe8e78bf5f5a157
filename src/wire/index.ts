/**
 * What the viewer's server and its page send each other. Runs in both.
 *
 * @module
 */
export { decodeArrays, encodeArrays, type WireArray, type WireMessage } from "./arrays.ts";
export { decodeMatches, encodeMatches, type TokenMatches } from "./matches.ts";
export {
  decodeSequence,
  decodeTopK,
  encodeSequence,
  encodeTopK,
  type SequenceMeta,
  TOKEN_FLAGS,
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
export {
  decodeTable,
  encodeTable,
  SEQUENCE_COLUMNS,
  SEQUENCE_TEXTS,
  type SequenceColumn,
  type SequenceTable,
  type SequenceText,
} from "./table.ts";
export { TOKEN_CLASSES, type TokenClass, tokenClass } from "./token-class.ts";
export { decodeTurns, encodeTurns, type TurnFigures, type TurnTable, turnsOf } from "./turns.ts";
