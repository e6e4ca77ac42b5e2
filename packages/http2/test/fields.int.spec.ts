import { once } from 'node:events';
import { connect } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createHttpServer, HeaderBlock, type RequestHead } from '@tollgate/http2';
import { numbersFrom } from '@tollgate/http2/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

const SEED = inject('testSeed');
const REQUESTS = 1000;
const NAMES = [
  'te',
  'x-timeout',
  'x-request-id',
  'traceparent',
  'user-agent',
  'x-a',
  'x-b',
  'cookie',
  'accept',
];

describe('fields that node:http2 encodes', () => {
  const heads: RequestHead[] = [];
  const server = createHttpServer(
    'tollgate',
    {
      request: (stream, head) => {
        heads.push(head);
        stream.respond(
          new HeaderBlock([
            [':status', '200'],
            ['x-long', 'x'.repeat(300)],
            ['server', 'tollgate'],
          ]),
          true,
        );
        return undefined;
      },
    },
    // Responses before the end of a request are charged.
    { limits: { unauthenticatedFrameBudget: 10_000 } },
  );
  beforeAll(async () => {
    server.listener.listen(0, '127.0.0.1');
    await once(server.listener, 'listening');
  });
  afterAll(() => server.close(0));

  it(`arrive unchanged in both directions, ${REQUESTS} requests over one connection`, async () => {
    const random = numbersFrom(SEED);
    const { port } = server.listener.address() as AddressInfo;
    const session = connect(`http://127.0.0.1:${port}`);
    const words = Array.from({ length: 40 }, () => word(random));
    for (let i = 0; i < REQUESTS; i++) {
      const fields: Record<string, string> = {};
      for (let n = random(8); n > 0; n--)
        fields[NAMES[random(NAMES.length)] as string] = words[random(40)] as string;
      if ('te' in fields) fields.te = 'trailers';
      const stream = session.request(
        { ':method': 'POST', ':path': `/${random(50)}`, ...fields },
        { endStream: true },
      );
      stream.resume();
      const [answer] = await once(stream, 'response');
      expect(answer).toMatchObject({ ':status': 200, 'x-long': 'x'.repeat(300), server: 'tollgate' });
      expect(Object.fromEntries(heads.at(-1)?.fields ?? [])).toEqual(fields);
    }
    session.close();
  });
});

/** Up to 200 characters that a value may have. */
function word(random: (below: number) => number): string {
  return Array.from({ length: 1 + random(200) }, () => String.fromCharCode(0x21 + random(0x5e))).join('');
}
