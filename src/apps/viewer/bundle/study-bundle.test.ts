import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { StudyInfo, StudyTexts } from "../../../results/view.ts";
import { decodeStudyText } from "../../../results/wire/study-text.ts";
import { readTexts } from "../../../study/scoring/store/texts-file.ts";
import { type ExampleStudy, exampleStudy } from "../kl/example-study.test-data.ts";
import { prepareStudy } from "../kl/prepare-study.ts";
import { readBundledBytes, readBundledJson } from "./read-bundled.test-data.ts";
import { writeBundle } from "./write-bundle.ts";

let example: ExampleStudy;
beforeAll(async () => {
  example = await exampleStudy();
});
afterAll(() => example.remove());

const page = join(import.meta.dirname, "..", "..", "..", "..", "web/public");

/** Another folder stands in for the built page. */
async function bundle(name: string, redact?: "text"): Promise<string> {
  const cache = join(example.folder, "cache");
  const study = await prepareStudy(example.dir, { cache, ...(redact && { redact }) });
  const target = join(example.folder, name);
  await writeBundle(study, target, { page });
  await study.close();
  return target;
}

it("has every answer of a study under its own path", async () => {
  const folder = await bundle("site");
  expect((await readdir(join(folder, "api"))).sort()).toEqual([
    "glossary.js",
    "run.js",
    "study-tables.js",
    "study-text",
    "study-texts.js",
    "study.js",
  ]);
  expect(await readBundledJson<StudyInfo>(folder, "run")).toMatchObject({
    bundled: true,
    redacted: false,
    texts: 4,
  });
  const { texts } = await readBundledJson<StudyTexts>(folder, "study-texts");
  for (const { index, handle, tokens } of texts) {
    const wire = decodeStudyText(await readBundledBytes(folder, `study-text/${index}`));
    expect([wire.meta.handle, wire.ids.length]).toEqual([handle, tokens]);
  }
});

it("has no text of a redacted study anywhere", async () => {
  const folder = await bundle("redacted", "text");
  const texts = await readTexts(example.dir);
  const files = await readdir(join(folder, "api"), { recursive: true, withFileTypes: true });
  const contents = files
    .filter((file) => file.isFile())
    .map(async (file) => {
      const text = JSON.parse((await readFile(join(file.parentPath, file.name), "utf8")).slice(8)) as string;
      return file.parentPath.endsWith("study-text") ? Buffer.from(text, "base64").toString("latin1") : text;
    });
  const written = (await Promise.all(contents)).join("\n");
  const { texts: list } = await readBundledJson<StudyTexts>(folder, "study-texts");
  expect(list.map(({ opening }) => opening)).toEqual(list.map(() => null));
  for (const { index } of list) {
    const { meta, ids } = decodeStudyText(await readBundledBytes(folder, `study-text/${index}`));
    expect(meta.promptText).toBeNull();
    expect(meta.tokens).toEqual(Array.from(ids, (id) => `#${id}`));
    for (const spike of meta.spikes.flat())
      for (const { token, token_id } of [...spike.alternatives, ...spike.reference_alternatives])
        expect(token).toBe(`#${token_id}`);
  }
  const parts = texts.flatMap(({ responseText, promptText = "", tokens }) => [
    ...(promptText.match(/[A-Za-z]+ [A-Za-z]+ /g) ?? []),
    ...(responseText.match(/[A-Za-z]+ [A-Za-z]+ |.{12}/g) ?? []),
    ...tokens.filter((token) => token.trim().length > 4).map((token) => JSON.stringify(token)),
  ]);
  expect(parts.length).toBeGreaterThan(40);
  // Words that the page has itself are in no text of this example.
  expect(parts.filter((part) => written.includes(part))).toEqual([]);
});
