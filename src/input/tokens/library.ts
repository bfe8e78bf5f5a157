import * as library from "@huggingface/tokenizers";

/** The part of the library's interface that is used. Its own declarations do not resolve under Node's module rules. */
export interface LibraryTokenizer {
  readonly decoder: LibraryDecoder | null;
  decode(ids: readonly number[], options: Readonly<Record<string, boolean>>): string;
  encode(
    text: string,
    options: Readonly<Record<string, boolean>>,
  ): { readonly ids: readonly (number | undefined)[] };
  id_to_token(id: number): string | undefined;
  get_added_tokens_decoder(): ReadonlyMap<number, { readonly id: number; readonly special: boolean }>;
  get_vocab(): ReadonlyMap<string, number>;
}

export interface LibraryDecoder {
  readonly config: { readonly type: string };
  /** The decoders of a sequence. */
  readonly decoders?: readonly LibraryDecoder[];
  decode_chain: (tokens: readonly string[]) => string[];
}

type LibraryConstructor = new (definition: object, config: object) => LibraryTokenizer;

/** @throws Error (the library's own) for a tokenizer that it cannot build */
export function buildTokenizer(definition: object, config: object): LibraryTokenizer {
  const { Tokenizer } = library as unknown as { readonly Tokenizer: LibraryConstructor };
  return new Tokenizer(definition, config);
}
