import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import * as generated from '../generated/graphql.js';
import { IdempotencyKeys } from '../lib/idempotency.js';
import { sendMutation } from '../lib/mutation.js';

type Mutation = typeof generated.TenantCreateDocument;
type Input = generated.TenantCreateInput;

const MUTATIONS = Object.entries(generated).filter(
  (entry): entry is [string, Mutation] =>
    entry[0].endsWith('Document') && /^\s*mutation\b/.test(String(entry[1])),
);

/** Sends mutations to a server that answers them all alike; the idempotency keys that it got. */
function recordKeys(answer: object | Error): (string | null)[] {
  const keys: (string | null)[] = [];
  vi.stubGlobal('fetch', async (_url: string, { headers }: RequestInit) => {
    keys.push(new Headers(headers).get('idempotency-key'));
    if (answer instanceof Error) throw answer;
    return Response.json({ data: { answer } });
  });
  return keys;
}

describe('the idempotency key of a mutation', () => {
  it.each(MUTATIONS)('%s is sent, and stays until the server has answered', async (_name, document) => {
    const keys = new IdempotencyKeys();
    const input = { key: 'acme' } as unknown as Input;
    const lost = recordKeys(new TypeError('connection reset'));
    await expect(sendMutation(document, input, { keys })).rejects.toThrow();
    await expect(sendMutation(document, input, { keys })).rejects.toThrow();
    const answered = recordKeys({ userErrors: [] });
    await sendMutation(document, input, { keys });
    await sendMutation(document, input, { keys });
    const [first] = lost;
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect([...lost, answered[0]]).toEqual([first, first, first]);
    expect(answered[1]).not.toBe(first);
  });

  it('belongs to one input', async () => {
    const keys = new IdempotencyKeys();
    const lost = recordKeys(new TypeError('connection reset'));
    for (const name of ['Acme', 'Other', 'Acme'])
      await sendMutation(generated.TenantCreateDocument, { name } as Input, { keys }).catch(() => undefined);
    expect(lost[0]).toBe(lost[2]);
    expect(lost[1]).not.toBe(lost[0]);
  });

  it('is not sent with a dry run, whose answer has to be new', async () => {
    const keys = recordKeys({ userErrors: [] });
    await sendMutation(generated.TenantUpdateDocument, {
      tenantKey: 'acme',
      expectedVersion: 1,
      dryRun: true,
    });
    expect(keys).toEqual([null]);
  });

  it('is sent by every caller: no mutation goes past sendMutation', () => {
    const names = new Set(MUTATIONS.map(([name]) => name));
    const root = new URL('..', import.meta.url).pathname;
    const offenders = globSync('**/*.{ts,tsx}', { cwd: root, exclude: ['generated', '**/*.spec.*'] }).flatMap(
      (file) => {
        const calls = readFileSync(root + file, 'utf8').matchAll(
          /\b(?:graphqlRequest|fieldQuery|pagedQuery)\([^;]*?\b(\w+Document)\b/g,
        );
        return [...calls].flatMap(([, name = '']) => (names.has(name) ? [`${file}: ${name}`] : []));
      },
    );
    expect(names.size).toBeGreaterThan(100);
    expect(offenders).toEqual([]);
  });
});
