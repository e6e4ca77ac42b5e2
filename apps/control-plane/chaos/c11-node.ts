// One node of C11: decides as fast as it is told, and keeps count in a file, so that what it had counted is known however it
// ends. Ends properly when its input ends. Usage: node chaos/c11-node.ts '<NodeSetup as JSON>'
import { openSync, writeSync } from 'node:fs';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { DecisionPlane } from '@tollgate/decision-plane';

/** What a node is told. */
export interface NodeSetup {
  nodeId: string;
  configUrl: string;
  countersUrl: string;
  tenants: readonly string[];
  api: string;
  /** Tells this process' decisions from those of all others. */
  operation: string;
  perSecond: number;
  /** Where it keeps count: decisions that it has begun, and those that were answered. */
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
/** Whether it was decided: while Redis is away, what is asked of a tenant not seen before is not, and not counted. */
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
  // Leased decisions ask nobody: without a pause, neither timers nor sockets would ever have their turn.
  await nextTurn();
  const aheadMs = (answered / setup.perSecond) * 1000 - (performance.now() - startMs);
  if (aheadMs > 1) await delay(aheadMs);
}
await plane.close();
process.exit(0);
