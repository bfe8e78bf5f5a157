// Checks what a machine can check of docs/style.md: case and ending of messages, hints, findings and help texts;
// phrasings and spellings that the project no longer uses; plurals after 1; headings in sentence case.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../", import.meta.url));

// Texts quoted verbatim from a trainer keep that trainer's case and ending.
const VERBATIM = ["src/trainers/verl/settings.ts", "src/trainers/xtuner/settings.ts"];
const verbatim = (file, text) =>
  VERBATIM.includes(file) ||
  text.startsWith("response_mask must contain") ||
  /^[^:]{0,60}refuses /.test(text);

// Names, which may start a message or be inside a heading with a capital.
const NAMES = new Set(
  `Adam Apache Benjamini Biome Bonferroni Browser Chromium Debian Dropbox English Git Greek Hedges Hochberg Holm Hub Hugging
  Hydra Jensen Kolmogorov Linux Mac Mann Markdown Megatron Newey Node Numbers Parquet Pareto Pearson Poisson Postgres
  Python Rust Safari Savitzky Shannon Smirnov Spearman Student Unicode Wasserstein WebAssembly Welch West Whitney Wilcoxon
  Windows Zstandard Arrow Face Ctrl Shift Enter Golay Cohen Cliff Ray Hypothesis Axolotl Unsloth`.split(
    /\s+/,
  ),
);

/** What not to write, and what to write instead. */
const PHRASES = [
  [/\btwins?\b/i, "reference implementation"],
  [/\blies? to\b(?! (?:the )?(?:left|right))/i, "is from, differs from"],
  [/\bfor what there is\b/i, "see --help"],
  [/\bpitfalls?\b/i, "trap"],
  [/\bis none of\b/i, "is not one of"],
  [/\bhave no room\b/i, "do not fit"],
  [/\bturn(?:s|ed)? (?:it|one term|them) round\b/i, "negate"],
  [/\bcounted and said\b/i, "counted and reported"],
  [/\bfor a passing reason\b/i, "transient"],
  [/\bwith responses apart\b/i, "with --responses"],
  [/\bbeside it what\b/i, "also what"],
  [/\bas no recorded data\b/i, "not recorded data"],
  [/\bsees? to it that\b/i, "makes sure"],
  [/\bnot any more\b/i, "no longer"],
  [/\blooked? at again\b/i, "revisited, read again"],
  [/\bmade anew\b/i, "rebuilt"],
  [/\bread anew\b/i, "read again"],
  [/\bsummed anew\b/i, "summed again"],
  [/\bnobody can tell\b/i, "it is not known"],
  [/\bwhose fault\b/i, "which side"],
  [/\bis told of\b/i, "is reported"],
  [/\bthe guide's pandas\b/i, "a concrete list"],
  [/\bfurthest off\b/i, "worst, or which figure is largest"],
  [/\b(?:goes|go|going) on where\b/i, "continues where, resumes where"],
  [/\b(?:goes|go|going) on by (?:itself|themselves)\b/i, "continues freely"],
  [/\bfor want of\b/i, "for lack of"],
  [/\bcome again\b/i, "try again later"],
  [/\bmade beforehand\b/i, "precomputed"],
  [/\bput together by\b/i, "group by"],
  [/\btakes? (?:\S+ ){1,4}for independent\b/i, "assumes independent …"],
  [/\bno place on\b/i, "cannot be drawn on"],
  [/\bobjects? a line\b/i, "per line"],
  [/\b(?:hold|held) against\b/i, "compared with"],
  [/\bto be had\b/i, "available"],
  [/\b(?:can|could) nobody\b/i, "nobody can"],
  [/\bof (?:it|them) nothing\b/i, "nothing of it"],
];

/** Phrases that are fine in a comment but read as a translation in texts for users. */
const PHRASES_OF_TEXTS = [
  [/(?<!\bthere )\bis no (?!longer\b|more\b|such\b|less\b)[a-z]/i, "is not a"],
  [/(?<!\bthere )\bare no (?!longer\b|more\b|such\b|less\b)[a-z]/i, "are not"],
];

/** Wings whose comments, like those of the Python package, must also avoid {@link PHRASES_OF_COMMENTS}. */
const PLAIN_COMMENTS = /^src\/(?:core|input|trainers)\//;
const PHRASES_OF_COMMENTS = [
  // Only after a word on the same row, because "there" may end the row above.
  [/(?<=[\w`)] )(?<!there )\b(?:is|are) no (?!longer\b|more\b|such\b|less\b)[a-z]/i, "is not a, are not"],
  [/\banew\b/i, "again"],
  [/\bwhoever\b/i, "name who"],
  [/\bnobody\b/i, "no one, or name who"],
];

/** British spellings; prose is American. */
const BRITISH = new RegExp(
  `\\b(?:${[
    "(?:dis)?colour\\w*",
    "behaviour\\w*",
    "(?:dis)?favour\\w*",
    "honour\\w*",
    "neighbour\\w*",
    "labour\\w*",
    "grey(?:s|ed)?",
    "cent(?:re|res|red)",
    "fib(?:re|res)",
    "met(?:re|res)",
    "licen(?:ce|ces)",
    "defence",
    "catalogue[sd]?",
    "judgement",
    "artefacts?",
    "learnt|spelt|misspelt|burnt",
    "whilst|amongst",
    "anal(?:yse|yses the|ysed|ysing)",
    "cancell(?:ed|ing)",
    "label(?:led|ling)",
    "model(?:led|ling)",
    "travell(?:ed|ing)",
    "(?:normal|quant|token|retoken|organ|optim|recogn|initial|serial|general|summar|standard|random|vector|parallel|visual|minim|maxim|util|character|categor|real|emphas|penal|synchron|linear|local|capital)is(?:e|es|ed|ing|ation|ations|er|ers)",
  ].join("|")})\\b`,
  "i",
);
// Words that code, JSON and trainers spell this way.
const SPELLED_SO = /\b(?:realis\w*|localis\w*)\b/i;

const PLURAL =
  /(?<![\d.,–-])(?<![\d.,−–-] )\b1 (?:tokens|sequences|files|rows|steps|texts|problems|prompts|turns|records|lines|values|columns|members|checkpoints|groups|responses|policies|warnings|settings|entries|runs)\b/;

const problems = [];
const report = (file, line, what) => problems.push(`${file}:${line}: ${what}`);

function* walk(path) {
  if (statSync(path).isFile()) yield path;
  else
    for (const name of readdirSync(path).sort())
      if (!/^(?:node_modules|dist|assembly|fixtures|\..*)$/.test(name)) yield* walk(join(path, name));
}

/** The possible texts of an expression, each as its first and last fixed part and all fixed parts joined. */
function* texts(node) {
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) yield* texts(node.expression);
  else if (ts.isConditionalExpression(node)) {
    yield* texts(node.whenTrue);
    yield* texts(node.whenFalse);
  } else if (ts.isBinaryExpression(node) && /^(?:\?\?|\|\|)$/.test(node.operatorToken.getText())) {
    yield* texts(node.left);
    yield* texts(node.right);
  } else if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [first] = texts(node.left);
    const [last] = texts(node.right);
    if (first !== undefined)
      yield { node, head: first.head, tail: last?.tail ?? "", all: `${first.all}${last?.all ?? ""}` };
  } else if (ts.isStringLiteralLike(node)) yield { node, head: node.text, tail: node.text, all: node.text };
  else if (ts.isTemplateExpression(node)) {
    const parts = [node.head.text, ...node.templateSpans.map((span) => span.literal.text)];
    yield { node, head: parts[0], tail: parts.at(-1), all: parts.join("…") };
  }
}

/** What is wrong with the case or the ending of a message, a hint or a help text. */
function faults({ head, tail, all }) {
  const found = [];
  const [, first] = /^([A-Z][a-z]+(?:'s)?)(?=[\s,:;]|$)/.exec(head) ?? [];
  if (first !== undefined && !NAMES.has(first.replace(/'s$/, "")))
    found.push(`starts with a capital: "${first}"`);
  if (/[^.…]\.$/.test(tail) && !/jq -c \.$/.test(tail)) found.push("ends with a full stop");
  if (/[a-z)]\. [A-Z][a-z]/.test(all)) found.push("holds two sentences: join them with a semicolon");
  return found;
}

const name = (property) => (property.name && ts.isIdentifier(property.name) ? property.name.text : "");
const HELP_METHODS = new Map([
  ["description", 0],
  ["option", 1],
  ["requiredOption", 1],
  ["argument", 1],
]);
const HELP_PROPERTIES = /^(?:help|description|summary)$/;

/** The expressions of a file that become messages, hints, findings or help texts. */
function* messages(source, { isPage, isCommandLine }) {
  const found = [];
  const visit = (node) => {
    if (ts.isNewExpression(node) && /Error$/.test(node.expression.getText()) && node.arguments?.[0])
      found.push(node.arguments[0]);
    if (ts.isPropertyAssignment(node)) {
      const key = name(node);
      if ((!isPage && /^(?:hint|likely)$/.test(key)) || (isCommandLine && HELP_PROPERTIES.test(key)))
        found.push(node.initializer);
      const siblings = node.parent.properties.map(name);
      if (siblings.includes("severity") && key === "message") found.push(node.initializer);
      if (siblings.includes("severity") && key === "describe" && ts.isArrowFunction(node.initializer))
        found.push(node.initializer.body);
    }
    if (isCommandLine && ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const at = HELP_METHODS.get(node.expression.name.text);
      if (at !== undefined && node.arguments[at]) found.push(node.arguments[at]);
    }
    if (
      isCommandLine &&
      ts.isNewExpression(node) &&
      node.expression.getText() === "Option" &&
      node.arguments?.[1]
    )
      found.push(node.arguments[1]);
    ts.forEachChild(node, visit);
  };
  visit(source);
  for (const expression of found) yield* texts(expression);
}

/** Phrasings and spellings in a piece of prose; code in backticks is not prose. */
function checkProse(file, line, prose, phrases = [...PHRASES, ...PHRASES_OF_TEXTS]) {
  const text = prose
    .replace(/`[^`\n]*`/g, "`…`")
    .replace(/https?:\S+|@(?:param|property) \S+|\{@link [^}]*\}/g, "");
  for (const [pattern, instead] of phrases) {
    const [found] = pattern.exec(text) ?? [];
    if (found) report(file, line, `"${found}": write ${instead}`);
  }
  const [british] = BRITISH.exec(text) ?? [];
  if (british && !SPELLED_SO.test(british)) report(file, line, `"${british}": American spelling`);
  const [plural] = PLURAL.exec(text) ?? [];
  if (plural) report(file, line, `"${plural}": the noun after 1 is singular`);
}

/** Comments of a source file with the lines they start on. */
function* comments(source) {
  const text = source.text;
  const seen = new Set();
  const ranges = [];
  const visit = (node) => {
    for (const range of [
      ...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.getEnd()) ?? []),
    ])
      if (!seen.has(range.pos)) {
        seen.add(range.pos);
        ranges.push(range);
      }
    ts.forEachChild(node, visit);
  };
  visit(source);
  for (const { pos, end } of ranges)
    yield { line: source.getLineAndCharacterOfPosition(pos).line, text: text.slice(pos, end) };
}

/** String literals that read as prose: three words or more, and neither code nor markup. */
function* proseStrings(source) {
  const found = [];
  const visit = (node) => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      const [{ all }] = texts(node);
      if (/[a-z]+[ ,;:] ?[\w…]+ \w+/i.test(all) && !/[<>{}]|\n/.test(all)) found.push({ node, text: all });
    }
    if (ts.isJsxText(node) && node.text.trim() !== "") found.push({ node, text: node.text });
    ts.forEachChild(node, visit);
  };
  visit(source);
  for (const { node, text } of found)
    yield { line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1, text };
}

function checkSource(path) {
  const file = relative(root, path);
  const kind = path.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true, kind);
  const line = (node) => source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
  const where = { isPage: file.startsWith("web/"), isCommandLine: file.startsWith("src/apps/cli/") };
  for (const text of messages(source, where))
    if (!verbatim(file, text.head))
      for (const fault of faults(text))
        report(file, line(text.node), `${fault}: ${JSON.stringify(text.all.slice(0, 70))}`);
  const phrases = PLAIN_COMMENTS.test(file) ? [...PHRASES, ...PHRASES_OF_COMMENTS] : PHRASES;
  for (const { line: at, text } of comments(source))
    for (const [i, row] of text.split("\n").entries()) checkProse(file, at + 1 + i, row, phrases);
  for (const { line: at, text } of proseStrings(source)) checkProse(file, at, text);
}

/** Comments and docstrings of a Python file, row by row. */
function checkPython(path) {
  const file = relative(root, path);
  let isDocstring = false;
  for (const [i, row] of readFileSync(path, "utf8").split("\n").entries()) {
    const quotes = row.split('"""').length - 1;
    const [comment] = /(?:^|\s)#:? .*/.exec(row) ?? [];
    const prose = isDocstring || quotes > 0 ? row.replace(/``[^`]*``/g, "``…``") : comment;
    if (prose !== undefined) checkProse(file, i + 1, prose, [...PHRASES, ...PHRASES_OF_COMMENTS]);
    if (quotes === 1) isDocstring = !isDocstring;
  }
}

/** Prose of a Markdown file, without its code blocks. */
function checkMarkdown(path) {
  const file = relative(root, path);
  let isCode = false;
  for (const [i, row] of readFileSync(path, "utf8").split("\n").entries()) {
    if (row.startsWith("```")) isCode = !isCode;
    if (isCode) continue;
    // The style guide shows what not to write.
    if (file !== "docs/style.md") checkProse(file, i + 1, row);
    const [, heading] = /^#{1,6} (.*)/.exec(row) ?? [];
    if (heading === undefined) continue;
    const words = heading
      .replace(/^\d+[.:]? /, "")
      .replace(/`[^`]*`/g, "")
      .split(/[:.] |\s+/)
      .slice(1);
    const capital = words.find((word) => /^[A-Z][a-z]+$/.test(word) && !NAMES.has(word));
    if (capital) report(file, i + 1, `heading in sentence case: "${capital}"`);
    if (/\.$/.test(heading)) report(file, i + 1, "heading ends with a full stop");
  }
}

for (const folder of ["src", "web/src"])
  for (const path of walk(join(root, folder))) {
    if (/(?<!\.test|\.test-data|\.generated)\.tsx?$/.test(path)) checkSource(path);
    if (path.endsWith(".md")) checkMarkdown(path);
  }
for (const path of ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"])
  checkMarkdown(join(root, path));
for (const folder of ["docs", "examples", "integrations", "lab", "python/README.md", "skills"])
  for (const path of walk(join(root, folder))) if (path.endsWith(".md")) checkMarkdown(path);

for (const path of walk(join(root, "python/logratio"))) if (path.endsWith(".py")) checkPython(path);

for (const problem of problems) console.log(problem);
console.log(
  problems.length === 0 ? "words: nothing to change" : `words: ${problems.length} to change (docs/style.md)`,
);
process.exit(problems.length === 0 ? 0 : 1);
