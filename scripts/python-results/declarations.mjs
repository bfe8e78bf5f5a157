// Reads TypeScript types as what JSON makes of them: objects with fields, and the words of Python for their values.
import { join } from "node:path";
import ts from "typescript";

const { TypeFlags } = ts;
const PLAIN = [
  [TypeFlags.StringLike, "str"],
  [TypeFlags.NumberLike, "float"],
  [TypeFlags.BooleanLike, "bool"],
  [TypeFlags.Null, "None"],
  [TypeFlags.Any | TypeFlags.Unknown, "Any"],
];

/**
 * The types that are printed, and those that they contain, each once.
 *
 * @param printed pairs of a file below `root` and the name of a type that it exports
 * @returns `{ name, about, fields: [{ name, type, about, isOptional }] }`, sorted by name
 */
export function readDeclarations(root, printed) {
  const files = printed.map(([file]) => join(root, file));
  const program = ts.createProgram(files, {
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2023.d.ts"],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: [],
  });
  const reader = new Reader(program.getTypeChecker());
  printed.forEach(([, name], i) => {
    reader.readExport(program.getSourceFile(files[i]), name);
  });
  return [...reader.classes.values()].sort((a, b) => a.name.localeCompare(b.name, "en"));
}

class Reader {
  /** By name. */
  classes = new Map();
  #owners = new Map();

  constructor(checker) {
    this.checker = checker;
  }

  readExport(source, name) {
    const symbols = this.checker.getExportsOfModule(this.checker.getSymbolAtLocation(source));
    const symbol = symbols.find((each) => each.name === name);
    if (symbol === undefined) throw new Error(`${source.fileName} exports no ${name}`);
    this.#write(this.checker.getDeclaredTypeOfSymbol(symbol), name);
  }

  /** The Python type of a value; objects become classes, named by their type or else by where they are. */
  #write(type, place) {
    if (type.isUnion()) return this.#writeUnion(type, place);
    if (type.isStringLiteral()) return `Literal[${JSON.stringify(type.value)}]`;
    if (type.isNumberLiteral()) return Number.isInteger(type.value) ? `Literal[${type.value}]` : "float";
    if (type.flags & TypeFlags.BooleanLiteral) return "bool";
    const plain = PLAIN.find(([flags]) => type.flags & flags);
    if (plain !== undefined) return plain[1];
    if (this.#isBranded(type)) return "float";
    return this.#writeObject(type, place);
  }

  #writeUnion(type, place) {
    const parts = type.types.filter(({ flags }) => !(flags & TypeFlags.Undefined));
    const written = [...new Set(parts.map((part) => this.#write(part, place)))];
    const literals = written.filter((each) => each.startsWith("Literal["));
    const others = written.filter((each) => !literals.includes(each) && each !== "None");
    const joined = literals.map((each) => each.slice("Literal[".length, -1)).join(", ");
    return [
      ...(literals.length > 0 ? [`Literal[${joined}]`] : []),
      ...others,
      ...(written.includes("None") ? ["None"] : []),
    ].join(" | ");
  }

  /** Numbers with a unit are `number & { … }`. */
  #isBranded(type) {
    return type.isIntersection() && type.types.some(({ flags }) => flags & TypeFlags.NumberLike);
  }

  #writeObject(type, place) {
    const { checker } = this;
    if (checker.isTupleType(type)) {
      const parts = checker.getTypeArguments(type).map((part) => this.#write(part, place));
      return `list[${[...new Set(parts)].join(" | ")}]`;
    }
    if (checker.isArrayType(type)) return `list[${this.#write(checker.getTypeArguments(type)[0], place)}]`;
    const index = checker.getIndexInfoOfType(type, ts.IndexKind.String);
    const properties = checker.getPropertiesOfType(type);
    if (index !== undefined && properties.length === 0) return `dict[str, ${this.#write(index.type, place)}]`;
    const declared = nameOf(type);
    const name = declared !== undefined && this.#isFree(declared, type) ? declared : place;
    if (!this.#isFree(name, type)) throw new Error(`two types would be called ${name}`);
    if (!this.#owners.has(name)) this.#readClass(name, type, properties);
    return name;
  }

  /** Whether no other type has the name; an intersection that is written twice is one type. */
  #isFree(name, type) {
    const owner = this.#owners.get(name);
    if (owner === undefined || owner === type) return true;
    return this.checker.isTypeAssignableTo(owner, type) && this.checker.isTypeAssignableTo(type, owner);
  }

  #readClass(name, type, properties) {
    this.#owners.set(name, type);
    const symbol = type.aliasSymbol ?? type.symbol;
    const entry = { name, about: this.#about(symbol), fields: [] };
    this.classes.set(name, entry);
    entry.fields = properties.map((property) => {
      const own = this.checker.getTypeOfSymbol(property);
      return {
        name: property.name,
        type: this.#write(own, name + pascal(property.name)),
        about: this.#about(property),
        isOptional: (property.flags & ts.SymbolFlags.Optional) !== 0,
      };
    });
  }

  #about(symbol) {
    if (symbol === undefined) return "";
    return ts.displayPartsToString(symbol.getDocumentationComment(this.checker)).trim();
  }
}

/** The name that its declaration gives it; none for an object that is written in place. */
function nameOf({ aliasSymbol, aliasTypeArguments, symbol }) {
  if (aliasSymbol !== undefined && aliasTypeArguments === undefined) return aliasSymbol.name;
  return symbol !== undefined && symbol.flags & ts.SymbolFlags.Interface ? symbol.name : undefined;
}

function pascal(name) {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}
