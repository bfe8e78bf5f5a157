/**
 * The run's saved filters: kept by the server, as stars are.
 *
 * @module
 */
import type { SavedFilter } from "../../../src/results/filters.ts";
import { client } from "../api/client.ts";
import { lazily } from "./loaded.ts";

const list = lazily(client.savedFilters);

/** Empty until they are loaded. */
export function savedFilters(): readonly SavedFilter[] {
  const loaded = list().value;
  return loaded.state === "ready" ? loaded.value.filters : [];
}

/**
 * @param filter null removes the saved filter of that name
 * @throws Error that says why it could not be saved
 */
export async function saveFilter(name: string, filter: string | null): Promise<void> {
  await client.changeFilter(name, filter);
  await list.again();
}
