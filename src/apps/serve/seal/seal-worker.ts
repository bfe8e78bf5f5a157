/** What the thread of `sealer.ts` runs. */
import { answerTasks } from "../../../analyses/parallel/index.ts";
import { answerSealer, type SealerReply, type SealerTask } from "./answer-sealer.ts";

answerTasks<SealerTask, SealerReply>(answerSealer);
