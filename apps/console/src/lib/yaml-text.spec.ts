import { expect, it } from 'vitest';
import { toYaml } from './yaml-text.js';

it('writes objects, lists and what only looks like something else', () => {
  const value = {
    version: 1,
    apis: { shop: { name: 'Shop & more', operations: {}, tags: ['a', '7', 'no'] } },
    limits: [
      {
        name: 'per-minute',
        limit: 100,
        window: '1m',
        throttle: { mode: 'soft', percent: 10 },
        left: undefined,
      },
      { name: 'x', signUp: true },
    ],
  };
  expect(toYaml(value)).toBe(
    `version: 1
apis:
  shop:
    name: "Shop & more"
    operations: {}
    tags: [a, "7", "no"]
limits:
  - name: per-minute
    limit: 100
    window: "1m"
    throttle:
      mode: soft
      percent: 10
  - name: x
    signUp: true`,
  );
});
