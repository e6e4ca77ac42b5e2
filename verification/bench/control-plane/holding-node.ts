// A separate node that loads many tenants and prints its memory.
// Usage: node --expose-gc holding-node.ts <redis url> <public key> <tenants>
import { DecisionPlane } from '@tollgate/decision-plane';
import { API, OPERATION } from '../../chaos/control-plane/published-policy.ts';

const AT_ONCE = 500;
const [url = '', publicKey = '', count = '0'] = process.argv.slice(2);
const tenants = Number(count);
const node = await DecisionPlane.start({
  countersUrl: url,
  configUrl: url,
  policyKeys: [publicKey],
  nodeId: 'holding',
  version: 'bench',
  deadlineMs: 2000,
});
const rssOf = () => {
  globalThis.gc?.();
  return process.memoryUsage().rss;
};
const before = rssOf();
for (let i = 1; i <= tenants; i += AT_ONCE) {
  const some = Array.from({ length: Math.min(AT_ONCE, tenants - i + 1) }, (_, j) => `tenant-${i + j}`);
  await Promise.all(some.map((tenant) => node.peek({ tenant, api: API, operation: OPERATION })));
}
const after = rssOf();
await node.close();
console.log(JSON.stringify({ before, after }));
process.exit(0);
