export { type McpOptions, serveMcp } from "./serve-mcp.ts";
