import type { StudyConfig } from "./config/read-config.ts";
import { readManifest } from "./store/manifest.ts";

/** The settings stored in a study directory for reading its scores, as config keys. */
export async function readStoredConfig(dir: string): Promise<StudyConfig> {
  return (await readManifest(dir))?.settings ?? {};
}
