/** Packages that package-lock.json names without a hash: npm would install whatever it is given for them. */
export function findUnpinned({ packages }) {
  return Object.entries(packages)
    .filter(
      ([key, { link, integrity }]) => key !== "" && !link && !/^sha512-[\w+/]{86}==$/.test(integrity ?? ""),
    )
    .map(([key]) => key.slice(key.lastIndexOf("node_modules/") + "node_modules/".length));
}
