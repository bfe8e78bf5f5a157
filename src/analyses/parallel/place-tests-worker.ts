/** Runs in the thread of `place-tests.ts`: permutation tests. */
import { type PlaceChances, type PlaceUnits, testPlaces } from "../report/standouts/index.ts";
import { answerTasks } from "./answer-tasks.ts";

answerTasks<PlaceUnits, PlaceChances>(testPlaces);
