// The public names of the package as a user's compiler sees them: entries of package.json, their exports, docstrings.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** The compiler options of a careful user. */
export const STRICT = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noImplicitReturns: true,
  verbatimModuleSyntax: true,
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2023.d.ts"],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ["node"],
  noEmit: true,
};

/** The promised entries, without `./internal/*`: `[["logratio", "dist/index.d.ts"], …]`. */
export function publicEntries(root) {
  const { name, exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return Object.entries(exports)
    .filter(([path, target]) => typeof target === "object" && !path.includes("*"))
    .map(([path, target]) => [path.replace(/^\./, name), join(root, target.types)]);
}

const KINDS = [
  [ts.SymbolFlags.Class, "class"],
  [ts.SymbolFlags.Function, "function"],
  [ts.SymbolFlags.Variable, "constant"],
];

/** `{ entries, checker }`; an entry has its module's docstring and its exports sorted by name. */
export function readPublicNames(root) {
  const entries = publicEntries(root);
  const program = ts.createProgram(
    entries.map(([, file]) => file),
    { ...STRICT, typeRoots: [join(root, "node_modules/@types")] },
  );
  const checker = program.getTypeChecker();
  const exportsOf = (file) => {
    const source = program.getSourceFile(file);
    if (source === undefined) throw new Error(`${file} is not there: npm run build`);
    return { source, symbols: checker.getExportsOfModule(checker.getSymbolAtLocation(source)) };
  };
  const promised = new Set(
    entries.flatMap(([, file]) => exportsOf(file).symbols.map((symbol) => resolve(symbol, checker))),
  );
  return {
    checker,
    entries: entries.map(([entry, file]) => {
      const { source, symbols } = exportsOf(file);
      return {
        entry,
        about: moduleComment(source),
        names: symbols
          .map((symbol) => describe(symbol, checker, promised))
          .sort((a, b) => a.name.localeCompare(b.name, "en")),
      };
    }),
  };
}

function resolve(exported, checker) {
  return exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
}

/** Public members of the classes that a class extends, if they have no place of their own in the reference. */
function inheritedMembers(symbol, checker, promised) {
  return (symbol.declarations ?? [])
    .filter(ts.isClassDeclaration)
    .flatMap(({ heritageClauses = [] }) => heritageClauses)
    .filter(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)
    .flatMap(({ types }) => types.map((type) => checker.getTypeAtLocation(type).symbol))
    .filter((base) => !promised.has(base))
    .flatMap(({ declarations = [] }) => declarations.filter(ts.isClassDeclaration))
    .flatMap(({ members }) => [...members])
    .filter(
      (member) =>
        (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.NonPublicAccessibilityModifier) === 0,
    )
    .map((member) => member.getFullText().replace(/^\n+/, ""));
}

function describe(exported, checker, promised) {
  const symbol = resolve(exported, checker);
  // A class that is exported as a type cannot be called and needs no example.
  const kind = (!isTypeExport(exported) && KINDS.find(([flag]) => symbol.flags & flag)?.[1]) || "type";
  return {
    name: exported.name,
    kind,
    symbol,
    declarations: symbol.declarations ?? [],
    inherited: inheritedMembers(symbol, checker, promised),
    text: ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim(),
    tags: symbol.getJsDocTags(checker).map(({ name, text }) => ({
      name,
      text: ts.displayPartsToString(text).trim().replace(/^- /, ""),
    })),
  };
}

function isTypeExport({ declarations = [] }) {
  return declarations.some((node) => ts.isExportSpecifier(node) && ts.isTypeOnlyExportDeclaration(node));
}

/** The docstring that ends in @module, without it. */
function moduleComment({ text }) {
  const found = /^\/\*\*([\s\S]*?)\*\//.exec(text);
  if (!found?.[1].includes("@module")) return "";
  const lines = found[1].split("\n").map((line) => line.replace(/^\s*\* ?/, ""));
  return lines
    .join("\n")
    .replace(/@module[\s\S]*/, "")
    .trim();
}
