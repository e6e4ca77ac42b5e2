import { DecisionPlane } from '@tollgate/decision-plane';
import { eventually } from '@tollgate/test-kit';
import { afterAll, beforeAll, describe } from 'vitest';
import { EmbeddedTollgate } from '../src/embedded.js';
import type { Limiter } from '../src/index.js';
import { describeLimiter } from './limiter-suite.js';
import { useShopFront } from './shop-front.js';

const front = useShopFront();

describe('over HTTP', () => {
  let limiter: Limiter;
  beforeAll(() => {
    limiter = front.client({ onFault: 'throw' });
  });
  describeLimiter(() => limiter);
});

describe('over a decision plane in this process', () => {
  let plane: DecisionPlane;
  let limiter: Limiter;
  beforeAll(async () => {
    plane = await DecisionPlane.start({
      countersUrl: front.redis.url,
      configUrl: front.redis.url,
      policyKeys: 'unsigned',
      nodeId: 'embedded-1',
      version: 'test',
      deadlineMs: 5000,
      keyPeppers: new Map(),
    });
    await eventually(() => plane.ready);
    limiter = new EmbeddedTollgate({ plane, onUnavailable: 'deny', onFault: 'throw' });
  });
  afterAll(() => plane?.close());
  describeLimiter(() => limiter);
});
