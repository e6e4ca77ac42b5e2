import { createPrismaClient } from '@tollgate/database';
import { callWithOneKey } from '../../../apps/control-plane/test/support/one-key.ts';
import { failing, type Goal } from '../goal.ts';
import { startPlane } from './running-plane.ts';

const CALLS = 1000;
const PROCESSES = 2;
const CREATE = `mutation { serviceTokenCreate(input: { name: "c10", scopes: ["decide"] }) {
  serviceToken { id } token userErrors { code } } }`;

/** Sends one mutation many times concurrently under one Idempotency-Key to two processes on one database. */
export const oneKeyIsOneEffect: Goal = {
  id: 'C10',
  title: 'idempotent requests',
  passLine:
    'a mutation that is sent a thousand times under one Idempotency-Key has one effect and one answer',
  async run({ seed, scale }, report) {
    const plane = await startPlane(PROCESSES);
    const database = createPrismaClient(plane.ownerUrl, { max: 2 });
    try {
      const key = `c10-${seed}`;
      const { urls, admin: headers } = plane;
      const startedMs = performance.now();
      const result = await callWithOneKey({ urls, headers, calls: CALLS * scale, key, query: CREATE });
      const tookMs = performance.now() - startedMs;
      const effects = await database.serviceToken.count({ where: { name: 'c10' } });
      const other = await fetch(`${urls[0]}/graphql`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify({ query: CREATE.replace('"c10"', '"other"') }),
      });
      report({
        name: 'calls',
        numbers: {
          calls: result.calls,
          processes: PROCESSES,
          effects,
          'different answers': result.answers,
          'calls that failed': result.failures,
          'slowest, ms': result.slowestMs,
          'all, ms': tookMs,
          'another body': other.status,
        },
        failures: failing({
          'more or less than one effect': effects === 1,
          'answers differ': result.answers === 1,
          'calls failed': result.failures === 0,
          'another body under the key is not refused': other.status === 422,
        }),
      });
    } finally {
      await database.$disconnect();
      await plane.stop();
    }
  },
};
