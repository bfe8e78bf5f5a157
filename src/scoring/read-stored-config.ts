import type { StudyConfig } from "./config/read-config.ts";
import { readManifest } from "./store/manifest.ts";

/** How a study directory says that its scores are to be read, in the words of the config. */
export async function readStoredConfig(dir: string): Promise<StudyConfig> {
  return (await readManifest(dir))?.settings ?? {};
}
