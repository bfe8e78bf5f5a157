// node sweep-memory.mjs BATCHES CORRECTIONS: sweeps a seeded run, batch by batch as a reader would pass them, and
// prints the peak memory of the process in bytes, or nothing without /proc.
import { existsSync, readFileSync } from "node:fs";
import { Sweep } from "../../dist/analyses/sweep/index.js";
import { sweepBatch, sweepCorrections } from "./sweep-batches.mjs";

const [batches, corrections] = process.argv.slice(2).map(Number);
const sweep = new Sweep(sweepCorrections(corrections));
for (let index = 0; index < batches; index++) sweep.add(sweepBatch(index));
if (existsSync("/proc/self/status"))
  console.log(1024 * Number(readFileSync("/proc/self/status", "utf8").match(/VmHWM:\s+(\d+)/)[1]));
