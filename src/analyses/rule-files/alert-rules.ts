import type { AlertChannel, AlertRule, AlertRules } from "../alerts/rules.ts";
import { parseCondition } from "../conditions/condition.ts";
import { type Entry, openEntries } from "./entries.ts";

const MOST_RULES = 1000;
const VERSION = 1;

/**
 * Parses alert rules.
 *
 * @throws SchemaError, FormatError, EmptyInputError or LimitError with the line of the error
 */
export function parseAlertRules(text: string, file: string): AlertRules {
  const map = openEntries(text, file);
  const version = map.need("version");
  if (version.number() !== VERSION)
    version.refuse(`must be ${VERSION}`, "update logratio, if the rules are newer");
  const channels = (map.take("notify")?.map()?.takeRest() ?? []).map(([name, entry]) =>
    readChannel(name, entry),
  );
  const list = map.need("rules");
  const rules = list.list().map((entry) => readRule(entry, channels));
  if (rules.length === 0) list.refuse("has no rule");
  if (rules.length > MOST_RULES) list.refuse(`has ${rules.length} rules, more than ${MOST_RULES}`);
  map.end();
  const names = rules.map(({ rule }) => rule.name);
  rules.forEach(({ rule, entry }, at) => {
    if (names.indexOf(rule.name) < at)
      entry.refuse(`has the name of another rule: ${rule.name}`, "name it with name:");
  });
  return { rules: rules.map(({ rule }) => rule), channels };
}

function readChannel(name: string, entry: Entry): AlertChannel {
  const map = entry.map();
  const command = map.take("command");
  const [webhook, urlEnv, secret] = ["webhook", "webhook_env", "secret_env"].map((key) => map.take(key));
  map.end();
  const kinds = [command, webhook, urlEnv].filter((one) => one !== undefined);
  if (kinds.length !== 1) return entry.refuse("needs one of command, webhook and webhook_env");
  if (command !== undefined) {
    if (secret !== undefined) secret.refuse("applies to webhooks only: a command is not signed");
    if (command.form !== "list") command.refuse("must be a list of words: no shell reads it");
    const words = command.list().map((word) => word.text());
    if (words.length === 0) command.refuse("has no word");
    return { name, kind: "command", words };
  }
  const url = webhook === undefined ? { env: readVariable(urlEnv!) } : { text: readUrl(webhook) };
  return { name, kind: "webhook", url, secretEnv: secret === undefined ? null : readVariable(secret) };
}

function readVariable(entry: Entry): string {
  const name = entry.text();
  return /^[A-Za-z_]\w*$/.test(name) ? name : entry.refuse("must be the name of an environment variable");
}

function readUrl(entry: Entry): string {
  const text = entry.text();
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol))
    return entry.refuse("must be an http or https address");
  if (url.username !== "" || url.password !== "")
    return entry.refuse("holds a password", "keep the address out of the file with webhook_env: NAME");
  return text;
}

function readRule(
  entry: Entry,
  channels: readonly AlertChannel[],
): { readonly rule: AlertRule; readonly entry: Entry } {
  const map = entry.map();
  const when = map.need("when");
  const condition = when.within(() => parseCondition(when.text()));
  const clear = map.take("clear");
  const clearing = clear === undefined ? null : clear.within(() => parseCondition(clear.text()));
  if (clear !== undefined && (condition.kind === "changed" || clearing?.kind !== condition.kind))
    clear.refuse("must be a condition of the same kind as when; a change is raised once");
  if (
    condition.kind === "figure" &&
    clearing?.kind === "figure" &&
    (condition.figure.group !== clearing.figure.group || condition.figure.pooling !== clearing.figure.pooling)
  )
    clear!.refuse("must be of the same steps as when");
  const notify = map.take("notify");
  const name = map.take("name")?.text() ?? condition.text;
  map.end();
  const names = notify?.list().map((one) => {
    const channel = one.text();
    if (channels.every((known) => known.name !== channel))
      one.refuse(
        `names no channel: ${channel}`,
        `channels are ${channels.map((known) => known.name).join(", ") || "none: add them under notify:"}`,
      );
    return channel;
  });
  return { rule: { name, when: condition, clear: clearing, notify: names ?? null }, entry };
}
