/**
 * Gemini's `generateContent`: `candidates[].logprobsResult` with `chosenCandidates` and, for each of them, a list of
 * `topCandidates` (ai.google.dev/api/generate-content, LogprobsResult).
 *
 * @module
 */
import { isObject } from "../../../core/base/index.ts";
import { listAt, member, numberAt, textAt } from "../../replies/json.ts";
import { type Reply, type ServerText, withoutLogprobs } from "./reply.ts";
import { readNamedTokens } from "./tokens.ts";

function readCandidate(candidate: unknown, index: number): ServerText | undefined {
  const result = member(candidate, "logprobsResult");
  const chosen = listAt(result, "chosenCandidates");
  if (chosen === undefined || chosen.length === 0) return undefined;
  const tops = listAt(result, "topCandidates");
  const parts = listAt(member(candidate, "content"), "parts") ?? [];
  return {
    tokens: readNamedTokens(chosen, (_, place) => listAt(tops?.[place], "candidates")),
    text: parts.map((part) => textAt(part, "text") ?? "").join(""),
    choice: numberAt(candidate, "index") ?? index,
  };
}

export function readGemini(reply: unknown): Reply | undefined {
  const candidates = listAt(reply, "candidates");
  if (candidates === undefined || !candidates.every(isObject) || candidates.length === 0) return undefined;
  const isGemini = candidates.some((candidate) => "content" in candidate || "logprobsResult" in candidate);
  if (!isGemini) return undefined;
  const server = "Gemini replies";
  const texts = candidates.flatMap((candidate, index) => readCandidate(candidate, index) ?? []);
  if (texts.length === 0)
    return withoutLogprobs(server, 'generationConfig {"responseLogprobs": true, "logprobs": 5}');
  return { server, texts };
}
