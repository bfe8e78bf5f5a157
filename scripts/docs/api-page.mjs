// One page of the API reference: an entry's functions, classes and constants with their docstrings, then its types.

const GENERATED = "<!-- Written by `npm run docs:api` from the docstrings; change those. -->";

/** The page that lists every name with its first sentence. */
export function renderIndex(entries) {
  const values = entries.flatMap(({ names }) => names.filter(({ kind }) => kind !== "type"));
  return block([
    GENERATED,
    "# API",
    `${values.length} names in ${entries.length} entries. What is under \`logratio/internal/*\` (the \`index\` of each folder of
\`dist\`, such as \`logratio/internal/core/schema\`) may change in any release.`,
    ...entries.map((entry) =>
      block([
        `## [\`${entry.entry}\`](${pageOf(entry)})`,
        entry.about,
        entry.names
          .filter(({ kind }) => kind !== "type")
          .map(
            (name) =>
              `- [\`${name.name}\`](${pageOf(entry)}#${name.name.toLowerCase()}): ${firstSentence(name.text)}`,
          )
          .join("\n"),
      ]),
    ),
  ]);
}

export function renderPage(entry, entries) {
  const values = entry.names.filter(({ kind }) => kind !== "type");
  const types = entry.names.filter(({ kind }) => kind === "type");
  const homes = homesOf(entries);
  const own = types.filter(({ symbol }) => homes.get(symbol) === entry);
  const elsewhere = types.filter(({ symbol }) => homes.get(symbol) !== entry);
  return block([
    GENERATED,
    `# ${entry.entry}`,
    entry.about,
    ...values.map(renderValue),
    ...(types.length > 0 ? ["## Types"] : []),
    ...(elsewhere.length > 0
      ? [
          `Described elsewhere: ${elsewhere
            .map(({ name, symbol }) => `[\`${name}\`](${pageOf(homes.get(symbol))}#${name.toLowerCase()})`)
            .join(", ")}.`,
        ]
      : []),
    ...own.map((type) => block([`### ${type.name}`, prose(type.text), fence(declarationText(type))])),
  ]);
}

function renderValue(value) {
  const { name, text, tags } = value;
  const listed = (tag, form) => tags.filter(({ name }) => name === tag).map(form);
  const details = [
    ...listed("param", ({ text }) => text.replace(/^(\w+) ?/, "- `$1`: ")).filter(
      (line) => !line.endsWith(": "),
    ),
    ...listed("returns", ({ text }) => `- returns ${text}`),
    ...listed("throws", ({ text }) => `- throws ${text.replace(/\b[A-Z]\w*Error\b/g, "`$&`")}`),
  ].map((line) => line.replace(/\s*\n\s*/g, " "));
  return block([
    `## ${name}`,
    fence(declarationText(value)),
    prose(text.replace(/```ts[\s\S]*?```/g, "")),
    details.join("\n"),
    (text.match(/```ts[\s\S]*?```/g) ?? []).join("\n\n"),
  ]);
}

/** The declaration file's text, without `export declare` and private members. */
function declarationText({ declarations, kind, inherited }) {
  const shown = kind === "constant" ? declarations.map((node) => node.parent.parent) : declarations;
  return shown
    .map((node) =>
      withInherited(node.getText(), inherited)
        .replace(/^(export |declare )+/, "")
        .split("\n")
        .filter((line) => !/^\s*#private;$/.test(line))
        .join("\n")
        .replace(/^( +)/gm, (spaces) => spaces.slice(spaces.length / 2))
        // A class's own examples are above it; those of its members would hide its shape.
        .replace(/\n *\* *```ts[\s\S]*?```/g, ""),
    )
    .filter((text, i, all) => all.indexOf(text) === i)
    .join("\n");
}

/** A class as if it had the members that it has from a class which the reference does not show. */
function withInherited(text, inherited) {
  if (inherited.length === 0) return text;
  return text.replace(/ extends \w+(?= \{)/, "").replace(/\}$/, `${inherited.join("\n")}\n}`);
}

/** The entry that describes each type: the first one except the general entry, unless only that has it. */
function homesOf(entries) {
  const homes = new Map();
  for (const entry of entries)
    for (const { symbol } of entry.names) if (!homes.has(symbol)) homes.set(symbol, entry);
  return homes;
}

const pageOf = ({ entry }) => `${entry.split("/").at(-1)}.md`;
const block = (parts) =>
  `${parts
    .map((part) => part.trim())
    .filter(Boolean)
    .join("\n\n")}\n`;
const fence = (code) => (code === "" ? "" : `\`\`\`typescript\n${code}\n\`\`\``);
/** `{@link X}` as the editor shows it. */
const prose = (text) =>
  text
    .replace(/\{@link ([^}]+)\}/g, "`$1`")
    .replace(/\n{3,}/g, "\n\n")
    .trim();

function firstSentence(text) {
  const first = prose(text.replace(/```[\s\S]*?```/g, "")).replace(/\s+/g, " ");
  return /^.*?[.](?= |$)(?<!\b(e\.g|i\.e|vs)\.)/.exec(first)?.[0] ?? first;
}
