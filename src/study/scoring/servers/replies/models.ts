/**
 * Determines the model of a server with `GET /v1/models`.
 *
 * @module
 */
import { UsageError } from "../../../../core/base/index.ts";
import { listAt, numberAt, textAt } from "../../../../input/replies/index.ts";

export interface ServedModel {
  readonly id: string;
  /** Reported by vLLM and SGLang. */
  readonly contextLength: number | null;
}

const MAX_LISTED = 10;

function names(models: readonly ServedModel[]): string {
  const shown = models.slice(0, MAX_LISTED).map(({ id }) => id);
  const more = models.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** Undefined when the reply is not a list of models. */
export function parseModels(json: unknown): readonly ServedModel[] | undefined {
  const data = listAt(json, "data");
  if (data === undefined) return undefined;
  const lengths = new Map(data.map((model) => [textAt(model, "id"), numberAt(model, "max_model_len")]));
  return data.flatMap((model): ServedModel[] => {
    const id = textAt(model, "id");
    if (id === undefined) return [];
    // An adapter does not report a length.
    const length = lengths.get(id) ?? lengths.get(textAt(model, "parent"));
    return [{ id, contextLength: length ?? null }];
  });
}

/** The wanted model, or the only one. @throws UsageError */
export function pickModel(
  models: readonly ServedModel[],
  wanted: string | undefined,
  url: string,
): ServedModel {
  if (models.length === 0) throw new UsageError(`the server at ${url} serves no model`);
  if (wanted !== undefined) {
    const found = models.find(({ id }) => id === wanted);
    if (found !== undefined) return found;
    throw new UsageError(`the server at ${url} does not serve "${wanted}", only ${names(models)}`, {
      hint: `name one of these: ${url}#${models[0]!.id}`,
    });
  }
  if (models.length > 1) {
    throw new UsageError(`the server at ${url} serves ${models.length} models: ${names(models)}`, {
      hint: `name one of them: ${url}#${models[0]!.id}`,
    });
  }
  return models[0]!;
}
