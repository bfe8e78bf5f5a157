/**
 * Opens a policy behind a server that speaks OpenAI's completions protocol with echo.
 *
 * @module
 */
import { UsageError } from "../../../../core/base/index.ts";
import type { Policy } from "../../policy.ts";
import { createClient, type HttpClient } from "../http/client.ts";
import { openingPatience, type ResolvedOptions, resolveOptions, type ServerOptions } from "../options.ts";
import { parseModels, pickModel, type ServedModel } from "../replies/models.ts";
import { createNotes } from "../replies/notes.ts";
import { protocolPolicy } from "../replies/policy.ts";
import { openingError } from "../replies/refusals.ts";
import type { Encode } from "./parse.ts";
import { openAiProtocol } from "./protocol.ts";

export interface OpenAiOptions extends ServerOptions {
  /** The model's tokenizer, without added start tokens: finds the ids of tokens that replies name by their text. */
  readonly encode?: Encode | undefined;
  /** If given, texts are sent as text, for servers that do not accept ids. */
  readonly decode?: ((ids: readonly number[]) => string) | undefined;
}

const START = "a server with /v1/completions, such as: vllm serve MODEL --port 8000";

async function findModel(
  client: HttpClient,
  resolved: ResolvedOptions,
  signal: AbortSignal | undefined,
): Promise<ServedModel> {
  const reply = await client.get("/v1/models", { ...openingPatience(resolved), signal });
  const models = reply.ok ? parseModels(reply.json) : undefined;
  if (models !== undefined) return pickModel(models, resolved.model, resolved.base);
  const { model } = resolved;
  const answers = reply.ok || reply.failure.status === 404 || reply.failure.status === 405;
  // Not every such server lists its models.
  if (answers && model !== undefined) return { id: model, contextLength: null };
  if (!reply.ok) throw openingError(reply.failure, START);
  throw new UsageError(`the server at ${resolved.base} does not list its models`, {
    hint: `name the model: ${resolved.base}#MODEL`,
  });
}

/**
 * A policy behind a server with OpenAI's `/v1/completions` and `echo`: the `topK` most probable tokens, as far as
 * their ids can be found. Most such servers give fewer than 20 (OpenAI's own: 5, and none of a prompt today).
 *
 * @param name - of the policy
 * @param url - the server's root, with or without `/v1`; `URL#model` names a model
 * @throws NotFoundError when no server is there; UsageError for wrong options or an unknown model; UnsupportedError
 * when something else answers
 */
export async function openOpenAiPolicy(
  name: string,
  url: string,
  options: OpenAiOptions = {},
): Promise<Policy> {
  const resolved = resolveOptions(url, options);
  if (resolved.fullVocabulary) {
    throw new UsageError("OpenAI's protocol does not provide log-probs over the whole vocabulary", {
      hint: "if it is a vLLM or SGLang server, open it as one",
    });
  }
  if (options.decode !== undefined && options.encode === undefined) {
    throw new UsageError(
      "texts are sent as text (decode), but there is no way to find the ids of the reply (encode)",
      {
        hint: "give both, of the model's own tokenizer",
      },
    );
  }
  const client = createClient(resolved);
  const { id: model, contextLength } = await findModel(client, resolved, options.signal);
  const notes = createNotes([
    "Log-probs are those of echoed tokens, requested at temperature 1 and without truncation, so that raw and processed ones agree; anything else this server does is unknown.",
    ...(options.encode === undefined
      ? []
      : ["Alternatives are identified by their text: of tokens with the same text, a server keeps one."]),
  ]);
  const facts = {
    backend: "openai",
    location: resolved.base,
    model,
    vocabularySize: resolved.vocabularySize ?? null,
    contextLength,
    logprobs: "raw",
    temperature: 1,
    notes: notes.all,
  } as const;
  const protocol = openAiProtocol(client, resolved, model, notes, options);
  return protocolPolicy(name, facts, protocol, client, resolved, undefined);
}
