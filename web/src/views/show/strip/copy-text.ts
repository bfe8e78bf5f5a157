/**
 * Copies the selection as it is in the sequence: browsers would add newlines between blocks, which no policy wrote.
 */
export function copyText(event: ClipboardEvent): void {
  const selection = getSelection();
  if (selection === null || selection.rangeCount === 0 || selection.isCollapsed) return;
  const chunks = selection.getRangeAt(0).cloneContents().querySelectorAll(".chunk");
  if (chunks.length < 2) return;
  event.clipboardData?.setData("text/plain", [...chunks].map((chunk) => chunk.textContent).join(""));
  event.preventDefault();
}
