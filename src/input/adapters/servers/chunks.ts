/**
 * Streamed replies: their chunks are assembled into the form of a reply that was not streamed.
 *
 * @module
 */
import { isObject } from "../../../core/base/index.ts";
import { type JsonObject, listAt, member, numberAt, textAt } from "../../replies/json.ts";

/** How one server streams. */
interface Stream {
  /** Names the reply that a chunk belongs to; undefined when it is not a chunk of this server. */
  identify(chunk: JsonObject): string | undefined;
  /** Adds a chunk to the earlier ones. */
  merge(before: JsonObject, chunk: JsonObject): JsonObject;
  /** The first chunk as a reply. */
  begin(chunk: JsonObject): JsonObject;
  isLast(chunk: JsonObject): boolean;
}

function joinLists(before: unknown, chunk: unknown, name: string): unknown[] | undefined {
  const [first, second] = [listAt(before, name), listAt(chunk, name)];
  return first === undefined && second === undefined ? undefined : [...(first ?? []), ...(second ?? [])];
}

function joinTexts(before: unknown, chunk: unknown, name: string): string {
  return (textAt(before, name) ?? "") + (textAt(chunk, name) ?? "");
}

/** Concatenates the list members of both. */
function joinBlocks(before: unknown, chunk: unknown, names: readonly string[]): JsonObject | null {
  if (!isObject(before)) return isObject(chunk) ? chunk : null;
  const joined = names.map((name) => [name, joinLists(before, chunk, name)] as const);
  return { ...before, ...Object.fromEntries(joined.filter(([, list]) => list !== undefined)) };
}

const BLOCK = ["content", "refusal", "tokens", "token_logprobs", "top_logprobs", "text_offset"];

function firstChoice(chunk: unknown): JsonObject | undefined {
  const choice = listAt(chunk, "choices")?.[0];
  return isObject(choice) ? choice : undefined;
}

function finishes(choice: JsonObject | undefined): boolean {
  return typeof member(choice, "finish_reason") === "string";
}

/** A chunk never has several choices: each continuation is sent separately. */
const openAi: Stream = {
  identify(chunk) {
    const choice = firstChoice(chunk);
    const isChunk =
      choice !== undefined &&
      (isObject(choice.delta) || (typeof choice.text === "string" && !finishes(choice)));
    const isTail =
      choice !== undefined && typeof choice.text === "string" && chunk.object === "text_completion";
    const id = textAt(chunk, "id");
    return id !== undefined && (isChunk || isTail) ? `${id}#${numberAt(choice, "index") ?? 0}` : undefined;
  },
  begin(chunk) {
    const { delta, ...choice } = firstChoice(chunk)!;
    if (!isObject(delta)) return chunk;
    return { ...chunk, choices: [{ ...choice, message: { content: textAt(delta, "content") ?? "" } }] };
  },
  merge(before, chunk) {
    const [first, next] = [firstChoice(before)!, firstChoice(this.begin(chunk))!];
    const token_ids = joinLists(first, next, "token_ids");
    const message = isObject(first.message)
      ? { message: { content: joinTexts(first.message, next.message, "content") } }
      : { text: joinTexts(first, next, "text") };
    const logprobs = joinBlocks(first.logprobs, next.logprobs, BLOCK);
    const finish_reason = next.finish_reason ?? first.finish_reason ?? null;
    const choice = { ...first, ...message, logprobs, finish_reason, ...(token_ids && { token_ids }) };
    return { ...before, choices: [choice] };
  },
  isLast: (chunk) => finishes(firstChoice(chunk)),
};

const tgi: Stream = {
  identify: (chunk) => (isObject(chunk.token) && "generated_text" in chunk ? "tgi" : undefined),
  begin(chunk) {
    const details = isObject(chunk.details) ? chunk.details : {};
    const tops = listAt(chunk, "top_tokens");
    return {
      generated_text: textAt(chunk, "generated_text") ?? "",
      details: { ...details, tokens: [chunk.token], ...(tops && { top_tokens: [tops] }) },
    };
  },
  merge(before, chunk) {
    const next = this.begin(chunk);
    const details = joinBlocks(before.details, next.details, ["tokens", "top_tokens", "prefill"]);
    return { generated_text: next.generated_text, details };
  },
  isLast: (chunk) => typeof chunk.generated_text === "string",
};

const ollama: Stream = {
  identify(chunk) {
    const isReply = typeof chunk.response === "string" || isObject(chunk.message);
    return isReply && typeof chunk.done === "boolean" && typeof chunk.model === "string"
      ? "ollama"
      : undefined;
  },
  begin: (chunk) => chunk,
  merge(before, chunk) {
    const logprobs = joinLists(before, chunk, "logprobs");
    const content = joinTexts(before.message, chunk.message, "content");
    const text = isObject(before.message)
      ? { message: { ...before.message, content } }
      : { response: joinTexts(before, chunk, "response") };
    return { ...before, ...chunk, ...text, ...(logprobs && { logprobs }) };
  },
  isLast: (chunk) => chunk.done === true,
};

const llamaCpp: Stream = {
  identify(chunk) {
    return typeof chunk.content === "string" && typeof chunk.stop === "boolean" ? "llama.cpp" : undefined;
  },
  begin: (chunk) => chunk,
  merge(before, chunk) {
    const completion_probabilities = joinLists(before, chunk, "completion_probabilities");
    const tokens = joinLists(before, chunk, "tokens");
    return {
      ...before,
      ...chunk,
      content: joinTexts(before, chunk, "content"),
      ...(completion_probabilities && { completion_probabilities }),
      ...(tokens && { tokens }),
    };
  },
  isLast: (chunk) => chunk.stop === true,
};

const gemini: Stream = {
  identify(chunk) {
    const candidate = listAt(chunk, "candidates")?.[0];
    return isObject(candidate) && isObject(candidate.content)
      ? `${textAt(chunk, "responseId") ?? "gemini"}#${numberAt(candidate, "index") ?? 0}`
      : undefined;
  },
  begin: (chunk) => chunk,
  merge(before, chunk) {
    const [first, next] = [
      listAt(before, "candidates")![0] as JsonObject,
      listAt(chunk, "candidates")![0] as JsonObject,
    ];
    const content = joinBlocks(first.content, next.content, ["parts"]);
    const result = joinBlocks(first.logprobsResult, next.logprobsResult, [
      "chosenCandidates",
      "topCandidates",
    ]);
    const candidate = { ...first, ...next, content, ...(result && { logprobsResult: result }) };
    return { ...before, candidates: [candidate] };
  },
  isLast: (chunk) => typeof member(listAt(chunk, "candidates")?.[0], "finishReason") === "string",
};

const OUTPUTS = ["output_token_logprobs", "output_top_logprobs"];

const sglang: Stream = {
  identify: (chunk) => textAt(chunk.meta_info, "id"),
  begin: (chunk) => chunk,
  merge(before, chunk) {
    const { meta_info: meta } = chunk;
    const listed = listAt(meta, OUTPUTS[0]!)?.length ?? 0;
    // Each chunk repeats everything before it, unless the server was told to stream increments.
    if (listed >= (numberAt(meta, "completion_tokens") ?? 0)) return chunk;
    const joined = OUTPUTS.map((name) => [name, joinLists(before.meta_info, meta, name)] as const);
    const lists = Object.fromEntries(joined.filter(([, list]) => list !== undefined));
    return {
      ...chunk,
      text: joinTexts(before, chunk, "text"),
      meta_info: { ...(meta as JsonObject), ...lists },
    };
  },
  isLast: (chunk) => isObject(member(chunk.meta_info, "finish_reason")),
};

const STREAMS: readonly Stream[] = [openAi, tgi, ollama, llamaCpp, gemini, sglang];

/** A complete reply, and the row in which it ended. */
export interface Assembled {
  readonly reply: JsonObject;
  readonly row: number;
  readonly offset: number | undefined;
}

export interface Assembler {
  /** The reply that a row completes: the row itself when it is not a chunk, none while more chunks must follow. */
  add(row: JsonObject, index: number, offset: number | undefined): Assembled | undefined;
  /** Replies whose last chunk is missing. */
  finish(): readonly Assembled[];
}

export function createAssembler(): Assembler {
  const open = new Map<string, Assembled>();
  return {
    add(row, index, offset) {
      for (const stream of STREAMS) {
        const name = stream.identify(row);
        if (name === undefined) continue;
        const before = open.get(name);
        const reply = before === undefined ? stream.begin(row) : stream.merge(before.reply, row);
        // The reply is located at its first chunk.
        const assembled = { reply, row: before?.row ?? index, offset: before?.offset ?? offset };
        if (!stream.isLast(row)) {
          open.set(name, assembled);
          return undefined;
        }
        open.delete(name);
        return assembled;
      }
      // The last chunk of a stream with `include_usage` has no choice in it.
      const isUsage = listAt(row, "choices")?.length === 0 && isObject(row.usage);
      return isUsage ? undefined : { reply: row, row: index, offset };
    },
    finish() {
      const left = [...open.values()];
      open.clear();
      return left;
    },
  };
}
