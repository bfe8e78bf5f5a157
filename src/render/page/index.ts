/**
 * Any document as data for the viewer's page, which draws it with links, exports and copy buttons.
 *
 * @module
 */
export { type PageBlock, type PageDocument, type PageSection, pageDocument } from "./page-document.ts";
export { pageTable } from "./page-table.ts";
