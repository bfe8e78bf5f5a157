import type { Setting, Settings } from "./preset.ts";

/** A setting as Python source. */
export function pythonLiteral(value: Setting): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return JSON.stringify(value);
  return typeof value === "number" ? pythonNumber(value) : `(${value.map(pythonNumber).join(", ")})`;
}

function pythonNumber(value: number): string {
  return Number.isFinite(value) ? String(value) : `float("${value}")`;
}

/** A setting as YAML. Exponents get a point: YAML 1.1 reads `1e-7` as text. */
export function yamlLiteral(value: Setting): string {
  if (value === null) return "null";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "string") return JSON.stringify(value);
  return typeof value === "number" ? yamlNumber(value) : `[${value.map(yamlNumber).join(", ")}]`;
}

/** `name: value` lines in the given order. */
export function yamlLines(settings: Settings, names: readonly string[], indent: string): string {
  return names.map((name) => `${indent}${name}: ${yamlLiteral(settings[name] ?? null)}\n`).join("");
}

function yamlNumber(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? ".nan" : value > 0 ? ".inf" : "-.inf";
  const text = String(value);
  return /^-?\d+e/.test(text) ? text.replace("e", ".0e") : text;
}
