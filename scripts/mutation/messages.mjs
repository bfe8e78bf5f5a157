// A Stryker plugin that does not mutate the texts of errors and findings. Whether and which error is thrown is behavior
// and stays under test, but a mutant that empties its message is noise, and a test that repeats the message word for
// word is worthless. All other texts (verdicts, facts, answers, keys, units) are mutated.

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
