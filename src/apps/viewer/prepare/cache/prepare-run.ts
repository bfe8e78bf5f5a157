import { UsageError } from "../../../../core/base/index.ts";
import { buildCache } from "./build-cache.ts";
import {
  cachePlaces,
  dropOldCaches,
  makeCache,
  openCache,
  publishCache,
  throwawayPlaces,
} from "./cache-place.ts";
import { describeInputs } from "./inputs.ts";
import { type OpenOptions, openPrepared } from "./open-prepared.ts";
import type { PrepareOptions } from "./options.ts";
import type { PreparedRun } from "./prepared-run.ts";
import { StatesSoFar } from "./states-so-far.ts";

/**
 * A run (files, directories, `-`: whatever `report` takes) with all answers of the viewer ready. They are computed in
 * one pass and kept in a hidden folder next to the data, or in the user's cache directory if that is not writable; as
 * long as paths, sizes, times, options and tokenizer stay the same, and the cache is intact, nothing is computed again.
 *
 * @throws what `report` throws for such input
 */
export async function prepareRun(
  paths: readonly string[],
  options: PrepareOptions = {},
): Promise<PreparedRun> {
  const { read = {}, flags = [], cache, following, onNotice } = options;
  if (Object.keys(read).length > 0 && options.flags === undefined)
    throw new UsageError("`read` needs `flags`: they are part of the cache key");
  const inputs = await describeInputs(paths, options);
  const once = paths.includes("-");
  const places = once && cache === undefined ? throwawayPlaces() : await cachePlaces(paths, cache);
  const opened: Omit<OpenOptions, "reused" | "complete"> = {
    status: following ? "reading" : "ready",
    paths,
    flags,
  };
  const name = (version: string): string => `${inputs.key}-${version}`;
  const reuse = (directory: string): Promise<PreparedRun> =>
    openPrepared(directory, { ...opened, reused: true, complete: true });
  const known = once ? undefined : await openCache(places, name(inputs.version), reuse, onNotice);
  if (known !== undefined) return known;
  const states = new StatesSoFar(places, paths, options);
  const { temporary, made: version } = await makeCache(
    places,
    (directory) => buildCache(directory, paths, inputs, options, states),
    onNotice,
  );
  try {
    const complete = version === inputs.version;
    // Standard input can be read only once, so its cache is not kept.
    if (once) {
      const onClosed = temporary.remove;
      return await openPrepared(temporary.path, { ...opened, reused: false, complete, onClosed });
    }
    const directory = await publishCache(temporary, name(version));
    const prepared = await openPrepared(directory, { ...opened, reused: false, complete });
    await dropOldCaches(directory, inputs.key);
    return prepared;
  } catch (error) {
    await temporary.remove();
    throw error;
  }
}
