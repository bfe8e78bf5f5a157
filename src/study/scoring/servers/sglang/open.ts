/**
 * Opens a policy served by SGLang.
 *
 * @module
 */
import { UnsupportedError, UsageError } from "../../../../core/base/index.ts";
import { listAt, member, numberAt, textAt } from "../../../../input/replies/index.ts";
import type { Policy } from "../../policy.ts";
import { type AskOptions, createClient, type HttpClient } from "../http/client.ts";
import type { Reply } from "../http/failure.ts";
import { openingPatience, type ResolvedOptions, resolveOptions, type ServerOptions } from "../options.ts";
import { parseModels } from "../replies/models.ts";
import { createNotes } from "../replies/notes.ts";
import { protocolPolicy } from "../replies/policy.ts";
import { openingError } from "../replies/refusals.ts";
import { sglangProtocol } from "./protocol.ts";
import { nextTokenBody } from "./requests.ts";

export type SglangOptions = ServerOptions;

const START = "python -m sglang.launch_server --model-path MODEL --port 30000";

interface Served {
  readonly model: string;
  readonly contextLength: number | null;
  readonly version: string | undefined;
  /** Whether the server honors a seed. */
  readonly seeds: boolean;
}

async function firstThere(
  client: HttpClient,
  paths: readonly [string, ...string[]],
  patience: AskOptions,
): Promise<Reply> {
  const [path, ...others] = paths;
  const reply = await client.get(path, patience);
  const [next, ...rest] = others;
  if (reply.ok || reply.failure.status !== 404 || next === undefined) return reply;
  return firstThere(client, [next, ...rest], patience);
}

async function findServed(
  client: HttpClient,
  resolved: ResolvedOptions,
  signal: AbortSignal | undefined,
): Promise<Served> {
  const patience = { ...openingPatience(resolved), signal };
  const info = await firstThere(client, ["/model_info", "/get_model_info"], patience);
  if (!info.ok) throw openingError(info.failure, START);
  const path = textAt(info.json, "model_path");
  if (path === undefined) {
    throw new UnsupportedError(`${resolved.base} does not say which model it serves`, {
      likely: "another kind of server",
      hint: `start such a server with: ${START}`,
    });
  }
  if (member(info.json, "is_generation") === false) {
    throw new UnsupportedError(`the server at ${resolved.base} serves an embedding model, ${path}`);
  }
  const models = await client.get("/v1/models", patience);
  const served = (models.ok ? parseModels(models.json) : undefined) ?? [];
  const names = [path, ...served.map(({ id }) => id)];
  if (resolved.model !== undefined && !names.includes(resolved.model)) {
    throw new UsageError(`the server at ${resolved.base} does not serve "${resolved.model}", only ${path}`);
  }
  const server = await firstThere(client, ["/server_info", "/get_server_info"], patience);
  const facts = server.ok ? server.json : undefined;
  return {
    model: resolved.model ?? served[0]?.id ?? path,
    contextLength: served[0]?.contextLength ?? numberAt(facts, "context_length") ?? null,
    version: textAt(facts, "version"),
    seeds: member(facts, "enable_deterministic_inference") === true,
  };
}

/** Whether rows over the whole vocabulary are available, with a note about them. */
async function probeVocabulary(
  client: HttpClient,
  resolved: ResolvedOptions,
  vocabulary: number,
  signal: AbortSignal | undefined,
): Promise<{ readonly given: boolean; readonly note: string }> {
  const body = { ...nextTokenBody(Int32Array.of(0), vocabulary), ...resolved.extraBody };
  const reply = await client.post("/generate", body, { retries: Math.min(1, resolved.retries), signal });
  if (!reply.ok) {
    const { status, message } = reply.failure;
    if (status === undefined || status < 400 || status >= 500) throw openingError(reply.failure, START);
    return { given: false, note: `The whole vocabulary was refused: ${message}` };
  }
  const row = listAt(member(reply.json, "meta_info"), "output_top_logprobs")?.[0];
  const columns = Array.isArray(row) ? row.length : 0;
  return columns < vocabulary
    ? {
        given: false,
        note: `The server gave ${columns} of ${vocabulary} columns, so the most probable tokens are used.`,
      }
    : {
        given: true,
        note: "Rows over the whole vocabulary: one request for each token, as the distribution of the token after a prefix.",
      };
}

/**
 * A policy behind SGLang's `/generate`. Gives whole rows of log-probs if `fullVocabulary` and `vocabularySize` are set,
 * else the `topK` most probable tokens. SGLang does not report its vocabulary's size, and a request for more columns
 * than there are stops its scheduler: take `vocab_size` from the model's config.json.
 *
 * @param name - of the policy
 * @param url - the server's root; `URL#model` also checks the model
 * @throws NotFoundError when no server is there; UsageError for wrong options or another model; UnsupportedError when
 * something else answers
 */
export async function openSglangPolicy(
  name: string,
  url: string,
  options: SglangOptions = {},
): Promise<Policy> {
  const resolved = resolveOptions(url, options);
  const { vocabularySize, fullVocabulary } = resolved;
  if (fullVocabulary && vocabularySize === undefined) {
    throw new UsageError(
      "whole rows from SGLang need the vocabulary size (vocabularySize), which it does not report",
      {
        hint: "take vocab_size from the model's config.json; a larger number stops the server",
      },
    );
  }
  const client = createClient(resolved);
  const { model, contextLength, version, seeds } = await findServed(client, resolved, options.signal);
  const full =
    fullVocabulary && vocabularySize !== undefined
      ? await probeVocabulary(client, resolved, vocabularySize, options.signal)
      : undefined;
  const notes = createNotes([
    version === undefined ? "SGLang of unknown version." : `SGLang ${version}.`,
    "Log-probs of input tokens are always at temperature 1 in SGLang, whatever temperature is requested; those of sampled tokens include it.",
    ...(full === undefined ? [] : [full.note]),
  ]);
  const facts = {
    backend: "sglang",
    location: resolved.base,
    model,
    vocabularySize: vocabularySize ?? null,
    contextLength,
    logprobs: "raw",
    temperature: 1,
    notes: notes.all,
  } as const;
  const protocol = sglangProtocol(client, resolved, notes, seeds);
  return protocolPolicy(name, facts, protocol, client, resolved, full?.given ? vocabularySize : undefined);
}
