/**
 * Opens a policy served by vLLM.
 *
 * @module
 */
import { isObject, UnsupportedError } from "../../../../core/base/index.ts";
import { listAt, textAt } from "../../../../input/replies/index.ts";
import type { Policy, PolicyFacts } from "../../policy.ts";
import { createClient, type HttpClient } from "../http/client.ts";
import { openingPatience, type ResolvedOptions, resolveOptions, type ServerOptions } from "../options.ts";
import { parseModels, pickModel, type ServedModel } from "../replies/models.ts";
import { createNotes } from "../replies/notes.ts";
import { protocolPolicy } from "../replies/policy.ts";
import { openingError } from "../replies/refusals.ts";
import { firstChoice } from "./parse.ts";
import { type LogprobsMode, vllmProtocol } from "./protocol.ts";
import { nextTokenBody, promptLogprobsBody } from "./requests.ts";

export interface VllmOptions extends ServerOptions {
  /**
   * The server's `--logprobs-mode`, which it does not report. With `processed_logprobs`, log-probs of tokens sampled at
   * a temperature other than 1 (or with top-p) are requested again by teacher forcing. Default `raw_logprobs`, vLLM's.
   */
  readonly logprobsMode?: LogprobsMode | undefined;
}

const START = "vllm serve MODEL --port 8000";

async function findModel(
  client: HttpClient,
  resolved: ResolvedOptions,
  signal: AbortSignal | undefined,
): Promise<ServedModel> {
  const reply = await client.get("/v1/models", { ...openingPatience(resolved), signal });
  if (!reply.ok) throw openingError(reply.failure, START);
  const models = parseModels(reply.json);
  if (models !== undefined) return pickModel(models, resolved.model, resolved.base);
  throw new UnsupportedError(`${resolved.base}/v1/models does not list models`, {
    likely: "another kind of server",
    hint: `start such a server with: ${START}`,
  });
}

interface FullVocabulary {
  /** Undefined if the request was refused. */
  readonly size: number | undefined;
  readonly note: string;
}

const ROWS_NOTE =
  "Rows over the whole vocabulary: one request for each token, as the distribution of the token after a prefix.";

/** Whether the server returns the whole vocabulary, and its size. Token 0 exists in every vocabulary. */
async function probeVocabulary(
  client: HttpClient,
  resolved: ResolvedOptions,
  model: string,
  signal: AbortSignal | undefined,
): Promise<FullVocabulary> {
  const ids = Int32Array.of(0, 0);
  const { vocabularySize } = resolved;
  const body =
    vocabularySize === undefined
      ? promptLogprobsBody(model, ids, -1)
      : nextTokenBody(model, ids, vocabularySize);
  const reply = await client.post("/v1/completions", { ...body, ...resolved.extraBody }, { signal });
  if (!reply.ok) {
    const { status, message } = reply.failure;
    if (status === undefined || status < 400 || status >= 500) throw openingError(reply.failure, START);
    return {
      size: undefined,
      note: `The whole vocabulary was refused (start vLLM with --max-logprobs -1): ${message}`,
    };
  }
  if (vocabularySize !== undefined) return { size: vocabularySize, note: ROWS_NOTE };
  const second = listAt(firstChoice(reply.json), "prompt_logprobs")?.[1];
  if (!isObject(second)) {
    return {
      size: undefined,
      note: "The server returned no log-probs over the whole vocabulary (prompt_logprobs -1).",
    };
  }
  return { size: Object.keys(second).length, note: ROWS_NOTE };
}

/**
 * A policy behind vLLM's `/v1/completions`. Gives whole rows of log-probs if `fullVocabulary` is set and the server
 * allows it (`--max-logprobs -1`), else the `topK` most probable tokens; `gives` and `facts.notes` say which.
 *
 * @param name - of the policy
 * @param url - the server's root, with or without `/v1`; `URL#model` names a model
 * @throws NotFoundError when no server is there; UsageError for wrong options or an unknown model; UnsupportedError
 * when something else answers
 */
export async function openVllmPolicy(name: string, url: string, options: VllmOptions = {}): Promise<Policy> {
  const resolved = resolveOptions(url, options);
  const client = createClient(resolved);
  const { id: model, contextLength } = await findModel(client, resolved, options.signal);
  const version = await client.get("/version", {
    ...openingPatience(resolved),
    signal: options.signal,
  });
  const full = resolved.fullVocabulary
    ? await probeVocabulary(client, resolved, model, options.signal)
    : undefined;
  const notes = createNotes([
    version.ok
      ? `vLLM ${textAt(version.json, "version") ?? "of unknown version"}.`
      : "vLLM of unknown version.",
    "Log-probs of a text are those of its tokens as a prompt, at temperature 1 and without truncation: the same in vLLM's modes raw_logprobs and processed_logprobs.",
    ...(full === undefined ? [] : [full.note]),
  ]);
  const facts: PolicyFacts = {
    backend: "vllm",
    location: resolved.base,
    model,
    vocabularySize: full?.size ?? resolved.vocabularySize ?? null,
    contextLength,
    logprobs: "raw",
    temperature: 1,
    notes: notes.all,
  };
  const protocol = vllmProtocol(client, resolved, model, notes, options.logprobsMode ?? "raw_logprobs");
  return protocolPolicy(name, facts, protocol, client, resolved, full?.size);
}
