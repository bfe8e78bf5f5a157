import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeRowFolder, type RowFolder } from "../../../test/support/row-files.ts";
import { REPORT_SCHEMA_VERSION } from "../../results/report.ts";
import { SERIES_SCHEMA_VERSION } from "../../results/series.ts";
import { readReportFile } from "./read-report-file.ts";

let folder: RowFolder;
beforeAll(async () => {
  folder = await makeRowFolder();
});
afterAll(() => folder.remove());

const REPORT = {
  schemaVersion: REPORT_SCHEMA_VERSION,
  kind: "report",
  metrics: {},
  intervals: {},
  verdict: {},
  identity: {},
  trust: {},
  excluded: {},
  per_step: [],
  findings: [],
};
const SERIES = { schemaVersion: SERIES_SCHEMA_VERSION, kind: "series", files: [], series: [], findings: [] };
const read = async (value: unknown, name = "report.json") =>
  readReportFile(await folder.writeText(name, typeof value === "string" ? value : JSON.stringify(value)));

it("reads reports on dumps and on logged metrics, whatever their file is called in capitals", async () => {
  expect(await read(REPORT)).toEqual(REPORT);
  expect(await read(JSON.stringify(SERIES, null, 2), "A.JSON")).toEqual(SERIES);
});

it("leaves every other file to the readers of dumps", async () => {
  expect(await read(REPORT, "report.jsonl")).toBeUndefined();
  expect(await read({ ...REPORT, schemaVersion: "1" })).toBeUndefined();
  expect(await read({ schemaVersion: 1, kind: "sweep" })).toBeUndefined();
  expect(await read([{ schemaVersion: 1, kind: "report" }])).toBeUndefined();
  expect(await readReportFile(join(folder.path, "none.json"))).toBeUndefined();
  await mkdir(join(folder.path, "folder.json"));
  expect(await readReportFile(join(folder.path, "folder.json"))).toBeUndefined();
});

it("refuses another version, a report that was cut off, and one that lacks a part, by name", async () => {
  await expect(read({ ...REPORT, schemaVersion: 99 })).rejects.toMatchObject({
    _tag: "VersionError",
    message: expect.stringContaining(
      `version 99 of a report, this logratio reads ${REPORT_SCHEMA_VERSION}`,
    ) as string,
  });
  await expect(read({ ...SERIES, schemaVersion: 98 })).rejects.toThrow(
    `this logratio reads ${SERIES_SCHEMA_VERSION}`,
  );
  await expect(read(JSON.stringify(REPORT).slice(0, -5))).rejects.toMatchObject({ _tag: "FormatError" });
  for (const key of Object.keys(REPORT).slice(2))
    for (const wrong of [undefined, null, "text", ...(Array.isArray(REPORT[key as "per_step"]) ? [{}] : [])])
      await expect(read({ ...REPORT, [key]: wrong }), `${key}: ${wrong}`).rejects.toMatchObject({
        _tag: "SchemaError",
        message: expect.stringContaining(key) as string,
      });
  for (const key of ["files", "series", "findings"])
    await expect(read({ ...SERIES, [key]: {} }), key).rejects.toThrow(`a report without ${key}`);
});
