/** In a process of its own: whoever holds temporary files listens for signals too, and other tests do. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { captured, DEMO, interruptWhenHeard } from "./captured.test-data.ts";
import { kl } from "./kl.ts";

it("ends with 130 when it is interrupted while it scores, and says that scores are kept", async () => {
  const before = process.listenerCount("SIGINT");
  const out = join(temporaryFolder("kl-interrupt"), "example.study");
  const logits = join(DEMO, "..", "kl", "logits.npz");
  const done = captured((terminal) => kl([logits], { reference: "dpo", out }, terminal));
  interruptWhenHeard(before);
  expect(await done).toMatchObject({
    status: 130,
    out: "",
    err: "interrupted: scores so far are kept; run the same command again to continue\n",
  });
});
