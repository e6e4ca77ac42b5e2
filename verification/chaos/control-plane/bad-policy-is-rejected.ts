import { DecisionPlane } from '@tollgate/decision-plane';
import { readNodeReports } from '@tollgate/decision-plane/operate';
import { newSigningKey, PolicySigner } from '@tollgate/policy';
import { startRealRedis } from '@tollgate/test-kit';
import { randomFrom } from '@tollgate/test-kit/random';
import { Redis } from 'ioredis';
import { percentile, until } from '../../until.ts';
import { failing, type Goal } from '../goal.ts';
import { type Draft, MUTATIONS } from './policy-mutations.ts';
import { API, catalogueOf, OPERATION, seal, tenantOf, write } from './published-policy.ts';

const MUTATED = 1000;
const TENANT = 'acme';
const SHOWN_WITHIN_MS = 2000;

/** Times are not asserted for short runs: other tests run beside them. */
const TIMED_FROM = 500;

/** Differs per revision, to identify the policy in force. */
const limitOf = (revision: number) => 100 + (revision % 50);

/** Policies that were tampered with or sealed by a faulty control plane, presented to a node one after another. */
export const badPolicyNeverLands: Goal = {
  id: 'C6',
  title: 'bad policy is never applied',
  passLine: 'it is rejected with a reason, and the last good one stays in force',
  async run({ seed, scale }, report) {
    const random = randomFrom(seed);
    const server = await startRealRedis();
    const redis = new Redis(server.url);
    const signer = new PolicySigner(newSigningKey());
    const plane = await DecisionPlane.start({
      countersUrl: server.url,
      configUrl: server.url,
      policyKeys: [signer.publicKey],
      nodeId: 'node-1',
      version: 'chaos',
      deadlineMs: 5000,
    });
    const ask = () => plane.peek({ tenant: TENANT, api: API, operation: OPERATION });
    const shownMs: number[] = [];
    const reasons = new Set<string>();
    let mutated = 0;
    let applied = 0;
    let unexplained = 0;
    try {
      let revision = 1;
      const publishGood = async () => {
        await write(
          redis,
          seal(signer, catalogueOf(revision, limitOf(revision)), [tenantOf(TENANT, revision)], revision),
        );
        await until(`revision ${revision} is in force`, () => plane.revision === revision);
        await ask();
      };
      await publishGood();
      const kinds = Object.entries(MUTATIONS);
      for (let i = 0; mutated < MUTATED * scale; i++) {
        const [kind, mutate] = kinds[i % kinds.length] as (typeof kinds)[number];
        const before = await ask();
        const next = revision + 1;
        // If a tenant's record is faulty, the catalogue is unchanged.
        const of = kind.startsWith('tenant') ? revision : next;
        const catalogue = catalogueOf(of, limitOf(of));
        const draft: Draft = { signer, catalogue, tenants: [tenantOf(TENANT, next)], revision: next };
        const pieces = mutate(draft, random);
        if (pieces === undefined) continue;
        mutated++;
        await write(redis, pieces);
        shownMs.push(
          await until(`${kind} is refused`, async () => {
            // A record is read on demand if the poll was ahead of the announcement.
            await ask();
            const nack = (await readNodeReports(redis))[0]?.nack ?? null;
            if (nack !== null) reasons.add(kind);
            return nack !== null && nack.reason.length > 0;
          }).catch(() => {
            unexplained++;
            return Number.POSITIVE_INFINITY;
          }),
        );
        const after = await ask();
        if (after.limit !== before.limit || !after.success) applied++;
        revision = next + 1;
        await publishGood();
        await until('the refusal is over', async () => (await readNodeReports(redis))[0]?.nack === null);
      }
    } finally {
      await plane.close();
      redis.disconnect();
      await server.stop();
    }
    const numbers = {
      mutated,
      applied,
      'without a reason': unexplained,
      'kinds refused': `${reasons.size} of ${Object.keys(MUTATIONS).length}`,
      'shown p50 ms': percentile(shownMs, 0.5),
      'shown p99 ms': percentile(shownMs, 0.99),
    };
    report({
      name: 'policies',
      numbers,
      failures: failing({
        'a mutated policy was applied': applied === 0,
        'a refusal was not told, or without its reason': unexplained === 0,
        'it was not told within two seconds':
          mutated < TIMED_FROM || percentile(shownMs, 0.99) <= SHOWN_WITHIN_MS,
      }),
    });
  },
};
