/** Packages without a hash in package-lock.json, for which npm would install anything it gets. */
export function findUnpinned({ packages }) {
  return Object.entries(packages)
    .filter(
      ([key, { link, integrity }]) => key !== "" && !link && !/^sha512-[\w+/]{86}==$/.test(integrity ?? ""),
    )
    .map(([key]) => key.slice(key.lastIndexOf("node_modules/") + "node_modules/".length));
}
