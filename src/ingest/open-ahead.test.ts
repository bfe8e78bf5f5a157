import { expect, it } from "vitest";
import type { ByteSource } from "../input/io/byte-source.ts";
import { memorySource } from "../input/io/file-source.ts";
import { openAhead } from "./open-ahead.ts";
import type { FoundFile } from "./walk.ts";

const files: FoundFile[] = Array.from({ length: 14 }, (_, i) => ({
  path: `${i}.npz`,
  root: "run",
  relative: `${i}.npz`,
}));

/** Opens files in memory, and notes which ones were opened and closed. */
function trackedOpen(isBroken: (path: string) => boolean = () => false) {
  const opened: string[] = [];
  const closed: string[] = [];
  const open = async ({ path }: FoundFile): Promise<ByteSource> => {
    opened.push(path);
    if (isBroken(path)) throw new Error(`${path} is broken`);
    return { ...memorySource(path, new Uint8Array(1)), close: async () => void closed.push(path) };
  };
  return { opened, closed, open };
}

const first = (count: number): string[] => files.slice(0, count).map(({ path }) => path);

it("opens each file once, a few before they are asked for", async () => {
  const { opened, closed, open } = trackedOpen();
  const ahead = openAhead(files, open);
  for (const [place, file] of files.entries()) {
    expect((await ahead.open(file)).name).toBe(file.path);
    expect(opened).toEqual(first(Math.min(place + 9, files.length)));
  }
  await ahead.close();
  expect(closed).toEqual([]);
});

it("closes what is not asked for: at the end, and where files are passed over", async () => {
  const { opened, closed, open } = trackedOpen();
  const ahead = openAhead(files, open);
  await ahead.open(files[0]!);
  await ahead.open(files[3]!);
  expect(closed).toEqual(["1.npz", "2.npz"]);
  await ahead.close();
  expect(opened).toEqual(first(12));
  expect(closed).toEqual([1, 2, 4, 5, 6, 7, 8, 9, 10, 11].map((at) => `${at}.npz`));
});

it("gives the error of a file to the one who asks for it, and throws it nowhere else", async () => {
  const { closed, open } = trackedOpen((path) => path === "2.npz" || path === "3.npz");
  const ahead = openAhead(files, open);
  await ahead.open(files[0]!);
  await ahead.open(files[1]!);
  await expect(ahead.open(files[2]!)).rejects.toThrow("2.npz is broken");
  expect((await ahead.open(files[4]!)).name).toBe("4.npz");
  await ahead.close();
  expect(closed).toEqual([5, 6, 7, 8, 9, 10, 11, 12].map((at) => `${at}.npz`));
});

it("opens what can be read only once, or is far away, when it is asked for", async () => {
  const { opened, open } = trackedOpen();
  const [a, b, c, d] = files as [FoundFile, FoundFile, FoundFile, FoundFile];
  const remote = { ...c, remote: {} as NonNullable<FoundFile["remote"]> };
  const ahead = openAhead([a, { ...b, pipe: true }, remote, { ...d, path: "-" }, files[4]!], open);
  await ahead.open(a);
  expect(opened).toEqual(["0.npz", "4.npz"]);
  // A file that does not belong to the run.
  await ahead.open(files[11]!);
  expect(opened).toEqual(["0.npz", "4.npz", "11.npz"]);
  await ahead.close();
});
