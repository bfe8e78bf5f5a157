// Writes declarations as a Python module of typed dicts, formatted as ruff formats it.

const HEAD = `"""What the verbs print with \`\`--json\`\`, as typed dicts. Written by scripts/python-results.mjs; do not edit.

Numbers are counts, shares as fractions of 1, and logs and KLs in nats. A number that is NaN is None, and an infinite one
is the text "Infinity" or "-Infinity".
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal, TypedDict

if sys.version_info >= (3, 11):
    from typing import NotRequired
elif TYPE_CHECKING:
    from typing_extensions import NotRequired
`;
const WIDTH = 120;
/** Words that Python keeps for itself; others that are no names have another character in them. */
const KEYWORDS = new Set(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);

const isName = (text) => /^[A-Za-z_]\w*$/.test(text) && !KEYWORDS.has(text);

export function writeModule(classes) {
  return `${HEAD}${classes.map((entry) => `\n\n${writeClass(entry)}`).join("")}`;
}

function writeClass(entry) {
  return entry.fields.every(({ name }) => isName(name)) ? writeBody(entry) : writeCall(entry);
}

function writeBody({ name, about, fields }) {
  const doc = about === "" ? [] : [...writeDoc(about), ""];
  const lines = fields.flatMap((field) => [...writeComment(field.about, 4), ...writeField(field)]);
  return `class ${name}(TypedDict):\n${[...doc, ...lines].map((line) => (line === "" ? "" : `    ${line}`)).join("\n")}\n`;
}

function writeField({ name, type, isOptional }) {
  const whole = isOptional ? `NotRequired[${type}]` : type;
  if (4 + name.length + 2 + whole.length <= WIDTH) return [`${name}: ${whole}`];
  const literal = /^Literal\[(.*)\]$/.exec(type);
  if (literal === null || isOptional)
    return [`${name}: ${isOptional ? "NotRequired[" : "("}`, `    ${type}`, isOptional ? "]" : ")"];
  return [`${name}: Literal[`, ...literal[1].split(", ").map((value) => `    ${value},`), "]"];
}

/** For fields that are not names of Python. */
function writeCall({ name, about, fields }) {
  const lines = fields.flatMap((field) => [
    ...writeComment(field.about, 8).map((line) => `        ${line}`),
    `        ${JSON.stringify(field.name)}: ${quote(field.isOptional ? `NotRequired[${field.type}]` : field.type)},`,
  ]);
  const comment = writeComment(about, 0).map((line) => `${line}\n`);
  return `${comment.join("")}${name} = TypedDict(\n    "${name}",\n    {\n${lines.join("\n")}\n    },\n)\n`;
}

/** In the quotes that need no escapes. */
const quote = (text) => (text.includes('"') ? `'${text}'` : `"${text}"`);

function writeDoc(about) {
  const lines = wrap(plain(about), WIDTH - 4 - 3);
  return lines.length === 1 ? [`"""${lines[0]}"""`] : [`"""${lines[0]}`, ...lines.slice(1), '"""'];
}

function writeComment(about, indent) {
  return about === "" ? [] : wrap(plain(about), WIDTH - indent - 3).map((line) => `#: ${line}`);
}

/** One paragraph, without what is special in a docstring. */
function plain(text) {
  return text.replaceAll("\\", "\\\\").replaceAll('"""', "'''").replace(/\s+/g, " ").trim();
}

function wrap(text, width) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines[lines.length - 1];
    if (last === "") lines[lines.length - 1] = word;
    else if (last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
