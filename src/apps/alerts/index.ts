/**
 * Alerts on their way to people: the terminal, webhooks, commands. When one is raised belongs in `analyses/alerts`.
 *
 * @module
 */
export {
  AlertWatch,
  type AlertWatchOptions,
  checkChannels,
  readAlertRules,
  readKeptAlerts,
} from "./alert-watch.ts";
export { signBody } from "./send-webhook.ts";
