import { TRANSPORTS } from '@tollgate/http2';
import { describe, it } from 'vitest';
import { answered, connectionError, goesOn, type Outcome, type Rule, streamError } from './outcomes.js';
import { useTestServer } from './test-server.js';

/** Rules with another outcome on `node:http2`: nghttp2 drops invalid fields, and ends connections more often. */
const NODE_OUTCOMES: Readonly<Record<string, Outcome>> = {
  'a name of nothing': answered(),
  'a name with a space': answered(),
  "a name with a line's end": answered(),
  'a name with a byte beyond ASCII': answered(),
  'a name with a colon in it': answered(),
  "a value with a line's end": answered(),
  'a value with a carriage return': answered(),
  'a value with a zero': answered(),
  'a value that begins with a space': answered(),
  'a value that ends with a tab': answered(),
  'a call of a number that was passed over': goesOn,
  'a call of a number that was used': goesOn,
  'DATA after both sides have ended is an error': goesOn,
  'PRIORITY of no stream': goesOn,
  'WINDOW_UPDATE of nothing, of a stream': connectionError('PROTOCOL_ERROR'),
  'a window of a stream beyond 2^31-1': connectionError('FLOW_CONTROL_ERROR'),
  'more than content-length': connectionError('INTERNAL_ERROR'),
  'no :authority at all': streamError(1, 'PROTOCOL_ERROR'),
  'a field of 17,000 bytes, cut into frames': connectionError('ENHANCE_YOUR_CALM'),
  'many small fields': streamError(1, 'ENHANCE_YOUR_CALM'),
  'few bytes that expand to many: one table field repeated': streamError(1, 'ENHANCE_YOUR_CALM'),
  'the maximum number of characters in a header block': streamError(1, 'ENHANCE_YOUR_CALM'),
  'a header block that never ends': connectionError('INTERNAL_ERROR'),
  'a header block byte by byte': connectionError('INTERNAL_ERROR'),
  'an acknowledgement of a PING that there was not is nothing': connectionError('INTERNAL_ERROR'),
  'GOAWAY of a client leaves its calls be': connectionError('NO_ERROR'),
};

/** Tests each rule on both transports, each on a new connection. */
export function testRules(title: string, rules: readonly Rule[]): void {
  describe.each(TRANSPORTS)(`${title}, %s`, (transport) => {
    const h2 = useTestServer({ transport });

    it.each(rules)('%s', async (rule, send, outcome) => {
      const connection = await h2.connect();
      await send(connection);
      const expected = (transport === 'node' ? NODE_OUTCOMES[rule] : undefined) ?? outcome;
      await expected(connection);
      connection.close();
    });
  });
}
