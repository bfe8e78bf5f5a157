/**
 * Delivers alerts to the terminal, webhooks and commands. When one is raised belongs in `analyses/alerts`.
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
