// A node process of the testbed. Reads commands from standard input, one JSON line each, and writes one reply line
// each; exits when its input ends.
// Usage: node chaos/child-main.ts '<NodeSetup as JSON>'
import { createInterface } from 'node:readline';
import { LocalNode } from './local-node.ts';
import type { NodeSetup } from './testbed-node.ts';

interface Command {
  id: number;
  verb: 'ask' | 'load' | 'flood' | 'amend' | 'liveNodes' | 'events' | 'close';
  args: never[];
}

const setup = JSON.parse(process.argv[2] ?? '') as NodeSetup;
const aheadMs = setup.clockAheadMs ?? 0;
if (aheadMs !== 0) {
  const trueNow = Date.now;
  Date.now = () => trueNow() + aheadMs;
}

const node = await LocalNode.start(setup);
const write = (line: unknown) => process.stdout.write(`${JSON.stringify(line)}\n`);
write({ id: 0, value: null });

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => void run(JSON.parse(line) as Command));
lines.on('close', () => process.exit(0));

async function run({ id, verb, args }: Command): Promise<void> {
  try {
    const method: (...args: never[]) => Promise<unknown> = node[verb].bind(node);
    write({ id, value: (await method(...args)) ?? null });
  } catch (error) {
    write({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}
