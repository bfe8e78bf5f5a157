// Checks what the docstring of a public name must say.
import ts from "typescript";

/** The docstring of a figure needs one of these, or its reader has to guess the unit. */
const UNITS =
  /\bnats?\b|fraction|\bratios?\b|\bbytes?\b|\bcounts?\b|\bdigits?\b|correlation|\bversion\b|\bids?\b|\bseconds?\b|\bBytes\b|Numbers in/i;
const NUMERIC = /\bnumber\b|Float(32|64)Array|\bNats\b|\bRatio\b|\bFraction\b|\bMetrics\b/;

/** @returns one line per name and fault */
export function findNameProblems(entries, checker, dist) {
  const problems = [];
  const exported = new Set(entries.flatMap(({ names }) => names.map(({ symbol }) => symbol)));
  const seen = new Set();
  for (const { entry, about, names } of entries) {
    if (about === "") problems.push(`${entry}: the entry has no docstring`);
    for (const name of names) {
      // A type in two entries is one name.
      if (seen.has(name.symbol)) continue;
      seen.add(name.symbol);
      for (const fault of faultsOf(name)) problems.push(`${entry}: ${name.name} ${fault}`);
      for (const member of listMembers(name))
        for (const fault of memberFaults(member, checker))
          problems.push(`${entry}: ${name.name}.${member.name.getText()} ${fault}`);
      for (const missing of unexportedTypes(name, checker, exported, dist))
        problems.push(`${entry}: ${name.name} takes or gives ${missing}, which no entry exports`);
    }
  }
  return problems;
}

function faultsOf({ kind, text, tags, declarations }) {
  if (kind === "type") return text === "" ? ["has no description"] : [];
  const faults = [];
  const examples = text.match(/```ts[\s\S]*?```/g) ?? [];
  const prose = text.replace(/```[\s\S]*?```/g, "").trim();
  if (prose.length < 20) faults.push("has no description");
  if (!examples.some((example) => /\bassert[.(]/.test(example)))
    faults.push("has no example with an assertion");
  if (kind !== "function") return faults;
  const said = [text, ...tags.map((tag) => tag.text)].join("\n");
  const signatures = declarations.filter(ts.isFunctionDeclaration);
  const types = signatures.flatMap(({ parameters, type }) => [...parameters.map((p) => p.type), type]);
  if (types.some((type) => type && NUMERIC.test(type.getText())) && !UNITS.test(said))
    faults.push("has numbers and names no unit (nats, a fraction, a ratio, bytes, a count …)");
  const gives = signatures.some(({ type }) => type && !/^(void|Promise<void>)$/.test(type.getText()));
  if (gives && !tags.some(({ name }) => name === "returns")) faults.push("has no @returns");
  return faults;
}

/** Properties and methods of an interface, a class, or an alias of object types, as a user's editor lists them. */
function listMembers({ declarations }) {
  return declarations.flatMap((node) => {
    const shapes = ts.isTypeAliasDeclaration(node) ? listObjectTypes(node.type) : [node];
    return shapes
      .flatMap(({ members = [] }) => [...members])
      .filter(({ name }) => name !== undefined && !ts.isPrivateIdentifier(name));
  });
}

function listObjectTypes(type) {
  if (ts.isTypeLiteralNode(type)) return [type];
  if (ts.isParenthesizedTypeNode(type)) return listObjectTypes(type.type);
  const isComposed = ts.isUnionTypeNode(type) || ts.isIntersectionTypeNode(type);
  return isComposed ? type.types.flatMap(listObjectTypes) : [];
}

function memberFaults(member, checker) {
  const symbol = checker.getSymbolAtLocation(member.name);
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim();
  return text === "" ? ["has no description"] : [];
}

/** Names of the package's own types that a signature needs but users cannot import. */
function unexportedTypes({ kind, declarations }, checker, exported, dist) {
  if (kind === "type") return [];
  const missing = new Set();
  const visit = (node) => {
    if (ts.isTypeReferenceNode(node)) {
      let symbol = checker.getSymbolAtLocation(node.typeName);
      if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
      const file = symbol?.declarations?.[0]?.getSourceFile().fileName ?? "";
      const isParameter = symbol && symbol.flags & ts.SymbolFlags.TypeParameter;
      if (file.startsWith(dist) && !isParameter && !exported.has(symbol)) missing.add(symbol.name);
    }
    ts.forEachChild(node, visit);
  };
  for (const declaration of declarations)
    if (ts.isFunctionDeclaration(declaration)) ts.forEachChild(declaration, visit);
  return missing;
}
