import { parse } from 'graphql';
import { expect, it } from 'vitest';
import { cliText, curlText, graphqlText, toYaml } from './mutation-text.js';

it('writes objects, lists and quotes ambiguous strings', () => {
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

const call = {
  mutation: 'tierPublish',
  inputType: 'TierPublishInput',
  input: { tierKey: 'pro', expectedVersion: 3, reason: "it's time" },
};

it('writes a valid GraphQL document', () => {
  const text = graphqlText(call);
  expect(() => parse(text.split('# variables')[0] ?? '')).not.toThrow();
  expect(text).toContain('"tierKey": "pro"');
});

it('quotes the body for a shell', () => {
  const text = curlText(call, 'http://localhost:4400');
  const quoted = /-d '([\s\S]*)'$/.exec(text)?.[1] ?? '';
  expect(JSON.parse(quoted.replaceAll("'\\''", "'")).variables).toEqual({ input: call.input });
});

it('writes the file before it applies it', () => {
  expect(cliText({ tiers: { pro: { name: 'Pro' } } }).split('\n')).toEqual([
    "cat > tollgate.yaml <<'EOF'",
    'version: 1',
    'tiers:',
    '  pro:',
    '    name: Pro',
    'EOF',
    'tollgate config diff tollgate.yaml',
    'tollgate config apply tollgate.yaml',
  ]);
});
