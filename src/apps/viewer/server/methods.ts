interface Route {
  readonly method: string;
  readonly path: string;
}

/**
 * The methods of a path; empty where there is nothing.
 *
 * @param prefix of the routes' paths
 */
export function indexMethods(
  routes: () => readonly Route[],
  prefix: string,
): (path: string) => ReadonlySet<string> {
  let known: readonly { readonly pattern: RegExp; readonly method: string }[] | undefined;
  return (path) => {
    // Middleware is listed among the routes, for all methods.
    known ??= routes()
      .filter(({ method }) => method !== "ALL")
      .map(({ method, path: route }) => ({
        method,
        pattern: new RegExp(`^${prefix}${route.replace(/:\w+/g, "[^/]+")}$`),
      }));
    return new Set(known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method));
  };
}
