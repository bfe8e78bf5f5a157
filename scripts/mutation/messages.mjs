// A Stryker plugin: leaves the texts of errors and findings as they are. That an error is thrown, and which, is
// behavior and stays under test; a mutant that empties its message is noise, and a test that repeats the message
// word for word holds nothing. Texts everywhere else (verdicts, facts, answers, keys, units) are mutated.

const REASON = "text of an error or a finding";
const isText = (path) => path.isStringLiteral() || path.isTemplateLiteral();

const nameOf = (node) => (node.type === "Identifier" ? node.name : undefined);

function isMessage(path) {
  const { node } = path;
  if (node.type === "NewExpression") return /(Error|Warning)$/.test(nameOf(node.callee) ?? "");
  return node.type === "ObjectProperty" && ["likely", "hint", "describe"].includes(nameOf(node.key));
}

const ignorer = {
  shouldIgnore(path) {
    return isText(path) && path.findParent(isMessage) ? REASON : undefined;
  },
};

export const strykerPlugins = [{ kind: "Ignore", name: "messages", value: ignorer }];
