import { once } from 'node:events';
import { connect } from 'node:net';

type Random = (below: number) => number;

/** Values that a broken or hostile client puts into fields. */
const ODD: readonly string[] = [
  'null',
  '-1',
  '1e309',
  '9007199254740993',
  '""',
  '"\\ud800"',
  '"\\u0000"',
  '[[[[[[[[]]]]]]]]',
  '{"__proto__":{"x":1}}',
  '"constructor"',
  '{"a":1,"a":2}',
  '\u00ff',
  '\\',
  '"',
  '}',
  ',',
  '\r\n',
  '\r\n\r\n',
  '\0',
  ': ',
  'Content-Length: 5\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Expect: 100-continue\r\n',
  'Upgrade: h2c\r\nConnection: Upgrade\r\n',
  ' HTTP/9.9',
  '%00%ff',
  'x'.repeat(3000),
];

/** One to four changes at random places: bytes flipped, cut out, repeated, odd things put in. */
export function mutated(text: string, random: Random): string {
  let changed = text;
  for (let i = random(4); i >= 0; i--) {
    const at = random(changed.length + 1);
    const length = 1 + random(12);
    const [before, after] = [changed.slice(0, at), changed.slice(at)];
    const kind = random(5);
    if (kind === 0) changed = before + after.slice(length);
    else if (kind === 1) changed = before + after.slice(0, length) + after;
    else if (kind === 2) changed = before + (ODD[random(ODD.length)] ?? '') + after;
    else if (kind === 3) changed = before + (ODD[random(ODD.length)] ?? '') + after.slice(length);
    else changed = before + String.fromCharCode(random(256)) + after.slice(1);
  }
  return changed;
}

export function framed(method: string, path: string, headers: readonly string[], body: string): string {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body, 'latin1')}`];
  return `${method} ${path} HTTP/1.1\r\n${['Host: x', ...headers, ...length].join('\r\n')}\r\n\r\n${body}`;
}

/**
 * Sends raw text on a new connection and returns everything until the server closes it.
 * @param ends half-closes after sending: Node does not answer pending requests then
 */
export async function converse(port: number, text: string, ends: boolean): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const parts: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => parts.push(chunk));
  socket.on('error', () => undefined);
  socket.write(text, 'latin1');
  if (ends) socket.end();
  else socket.on('end', () => socket.end());
  await once(socket, 'close');
  return Buffer.concat(parts).toString('latin1');
}

export function statusesIn(said: string): number[] {
  return [...said.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status));
}
