import { randomFrom } from '@tollgate/test-kit/random';
import {
  readSigned,
  signBody,
} from '../../../apps/control-plane/src/features/commerce/payments/incoming-payments.js';
import { failing, type Goal } from '../goal.ts';
import { FORGERIES } from './forgeries.ts';

const MUTATED = 100_000;
const SECRET = 'whsec_dG9sbGdhdGUtdGVzdC12ZWN0b3Itc2VjcmV0LTAwMDE=';
const NOW_MS = Date.UTC(2026, 0, 1);

/** Signed events that were changed, and events signed with another key. */
export const forgeriesAreRejected: Goal = {
  id: 'C2',
  title: 'forgeries are rejected',
  passLine: 'none of many mutations of a signed event is accepted',
  async run({ seed, scale }, report) {
    const random = randomFrom(seed);
    const kinds = Object.entries(FORGERIES);
    const accepted: string[] = [];
    let tried = 0;
    for (; tried < MUTATED * scale; tried++) {
      const [kind, forge] = kinds[tried % kinds.length] as (typeof kinds)[number];
      const event = { id: `evt_${tried}`, type: 'paid', amount: 4900, payment: `pi_${random.below(1e9)}` };
      const { headers, body } = forge({ secret: SECRET, nowMs: NOW_MS, event, random });
      if (readSigned({ headers, body, nowMs: NOW_MS }, [SECRET]).kind === 'json') accepted.push(kind);
    }
    const body = Buffer.from('{"id":"evt_true"}');
    const isTrueTaken =
      readSigned({ headers: [signBody(body, SECRET, NOW_MS)], body, nowMs: NOW_MS }, ['whsec_older', SECRET])
        .kind === 'json';
    report({
      name: 'signed events',
      numbers: { mutations: tried, kinds: kinds.length, accepted: accepted.length },
      failures: failing({
        [`accepted: ${[...new Set(accepted)].join(', ')}`]: accepted.length === 0,
        'a true event is refused': isTrueTaken,
      }),
    });
  },
};
