// One node of C11: decides at the given rate and keeps its counts in a file, so that they survive a kill. Stops properly when
// its input ends. Usage: node counted-node-main.ts '<NodeSetup as JSON>'
import { openSync, writeSync } from 'node:fs';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { DecisionPlane } from '@tollgate/decision-plane';

/** Configuration of a node. */
export interface NodeSetup {
  nodeId: string;
  configUrl: string;
  countersUrl: string;
  tenants: readonly string[];
  api: string;
  /** Prefix of this process's request ids. */
  operation: string;
  perSecond: number;
  /** File with the counts of started and answered decisions. */
  file: string;
}

const BATCH = 250;
const COUNT_BYTES = 40;

const setup = JSON.parse(process.argv[2] ?? '') as NodeSetup;
const file = openSync(setup.file, 'w');
let begun = 0;
let answered = 0;
const keepCount = () => writeSync(file, `${begun} ${answered}`.padEnd(COUNT_BYTES), 0);

let stopping = false;
process.stdin.on('end', () => {
  stopping = true;
});
process.stdin.resume();

const plane = await DecisionPlane.start({
  nodeId: setup.nodeId,
  version: 'chaos',
  configUrl: setup.configUrl,
  countersUrl: setup.countersUrl,
  policyKeys: 'unsigned',
  deadlineMs: 2000,
});
/** Whether it decided: without Redis, requests of unknown tenants are neither decided nor counted. */
const ask = (tenant: string) =>
  plane.limit({ tenant, api: setup.api, operation: setup.operation }).then(
    () => true,
    () => false,
  );
while (!plane.ready) await delay(20);
keepCount();
const startMs = performance.now();
for (let batch = 0; !stopping; batch++) {
  const tenant = setup.tenants[batch % setup.tenants.length] as string;
  begun += BATCH;
  keepCount();
  const decided = await Promise.all(Array.from({ length: BATCH }, () => ask(tenant)));
  answered += decided.filter(Boolean).length;
  keepCount();
  // Leased decisions do no I/O: without a pause, timers and sockets would starve.
  await nextTurn();
  const aheadMs = (answered / setup.perSecond) * 1000 - (performance.now() - startMs);
  if (aheadMs > 1) await delay(aheadMs);
}
await plane.close();
process.exit(0);
