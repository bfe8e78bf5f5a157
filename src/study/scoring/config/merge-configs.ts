import { isObject } from "../../../core/base/index.ts";
import type { StudyConfig } from "./read-config.ts";

/** Later keys win; objects such as `spikes` are merged key by key. */
export function mergeConfigs(a: StudyConfig, b: StudyConfig): StudyConfig {
  const both = { ...a, ...b };
  for (const name of ["backend", "generate", "continue", "figures", "spikes"]) {
    const [before, after] = [a[name], b[name]];
    if (isObject(before) && isObject(after)) Object.assign(both, { [name]: { ...before, ...after } });
  }
  return both;
}

/** Without undefined keys and empty objects. */
export function defined(config: StudyConfig): StudyConfig {
  return Object.fromEntries(
    Object.entries(config).filter(
      ([, value]) => value !== undefined && !(isObject(value) && Object.keys(value).length === 0),
    ),
  );
}
