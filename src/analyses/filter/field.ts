/**
 * What a field of a filter is.
 *
 * @module
 */

import type { TokenClass } from "../../core/base/index.ts";
import type { SequenceText } from "../../results/metrics/sequence-columns.ts";
import type { SequenceTable } from "../../results/wire/table.ts";
import type { TokenColumns } from "./token-columns.ts";

export interface FieldText {
  /** As written in front of the operator. */
  readonly name: string;
  readonly aliases: readonly string[];
  /** One line: meaning and unit. */
  readonly meaning: string;
  readonly example: string;
}

export interface NumberField extends FieldText {
  readonly scope: "sequence";
  readonly kind: "number" | "yes-no";
  /** `[table.length]`, NaN for missing values. */
  readonly values: (table: SequenceTable) => Float64Array;
}

export interface TextField extends FieldText {
  readonly scope: "sequence";
  readonly kind: "text";
  readonly column: SequenceText;
}

export interface TokenNumberField extends FieldText {
  readonly scope: "token";
  readonly kind: "number";
  /** The value at a response token, NaN if missing. */
  readonly at: (tokens: TokenColumns) => (token: number) => number;
}

export interface TokenTextField extends FieldText {
  readonly scope: "token";
  readonly kind: "text";
}

export interface TokenClassField extends FieldText {
  readonly scope: "token";
  readonly kind: "class";
  readonly classes: readonly TokenClass[];
}

export type SequenceField = NumberField | TextField;
export type TokenField = TokenNumberField | TokenTextField | TokenClassField;
export type Field = SequenceField | TokenField;
