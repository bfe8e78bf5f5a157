import { cp, readdir, readFile, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DAMAGE } from "../../../input/io/damage.test-data.ts";
import { type ExampleStudy, exampleStudy } from "./example-study.test-data.ts";
import { prepareStudy } from "./prepare-study.ts";
import type { PreparedStudy, StudyAnswerName } from "./prepared-study.ts";

async function everything(study: PreparedStudy): Promise<Buffer> {
  const names: StudyAnswerName[] = ["run", "study", "texts"];
  const answers = await Promise.all(names.map((name) => study.answer(name)));
  const texts = await Promise.all(Array.from({ length: study.info.texts }, async (_, at) => study.text(at)));
  return Buffer.concat([...answers, ...(texts as Uint8Array[])]);
}

describe("every file of a study's cache", () => {
  let example: ExampleStudy;
  let home: string;
  let made: string;
  let whole: Buffer;
  beforeAll(async () => {
    example = await exampleStudy();
    home = join(example.folder, "home");
    const study = await prepareStudy(example.dir, { cache: home });
    made = basename(study.directory);
    whole = await everything(study);
    await study.close();
  });
  afterAll(() => example.remove());

  it.each(Object.entries(DAMAGE))("%s: is noticed, said, and made anew", async (kind, damage) => {
    const files = await readdir(join(home, made));
    expect(files).toEqual(
      expect.arrayContaining([
        "cache.json",
        "seal.json",
        "spikes.bin",
        "study.json",
        "text.bin",
        "values.bin",
      ]),
    );
    for (const file of files) {
      const cache = join(example.folder, "copy");
      await rm(cache, { recursive: true, force: true });
      await cp(home, cache, { recursive: true });
      const path = join(cache, made, file);
      expect((await readFile(path)).length, file).toBeGreaterThan(0);
      await damage(path);
      const notices: string[] = [];
      const onNotice = (message: string): void => void notices.push(message);
      const study = await prepareStudy(example.dir, { cache, onNotice });
      expect([kind, file, study.reused]).toEqual([kind, file, false]);
      expect((await everything(study)).equals(whole), file).toBe(true);
      await study.close();
      expect(notices).toEqual([expect.stringContaining(file)]);
      const again = await prepareStudy(example.dir, { cache, onNotice });
      expect([again.reused, notices.length]).toEqual([true, 1]);
      await again.close();
    }
  });
});
