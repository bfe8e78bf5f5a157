/** The folder that contains all of these files, or the only file; `.` if there are no files, or no common folder. */
export function sharedPath(files: readonly string[]): string {
  const [first, ...rest] = files.map((file) => file.split("/"));
  if (first === undefined) return ".";
  if (rest.length === 0) return files[0]!;
  const differs = first.findIndex((part, at) => rest.some((path) => path[at] !== part));
  // File names are distinct; the last part is a file, not a folder.
  const shared = first.slice(0, differs < 0 ? -1 : differs);
  return shared.join("/") || (shared.length > 0 ? "/" : ".");
}
