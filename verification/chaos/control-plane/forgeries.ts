import { createHmac } from 'node:crypto';
import type { Random } from '@tollgate/test-kit/random';
import { signBody } from '../../../apps/control-plane/src/features/commerce/payments/incoming-payments.js';

export interface SignedPost {
  headers: string[];
  body: Buffer;
}

/** The secret, the time and an event; the returned request must be rejected. */
interface Scene {
  secret: string;
  nowMs: number;
  event: object & { id: string };
  random: Random;
}

type Forgery = (scene: Scene) => SignedPost;

const bytesOf = (event: object) => Buffer.from(JSON.stringify(event));
const signed = ({ secret, nowMs }: Scene, body: Buffer): SignedPost => ({
  headers: [signBody(body, secret, nowMs)],
  body,
});
const flip = (bytes: Buffer, random: Random) => {
  const copy = Buffer.from(bytes);
  const at = random.below(copy.length);
  copy[at] = (copy[at] as number) ^ (1 << random.below(7));
  return copy;
};
/** A valid request with a changed header. */
const reheaded =
  (change: (header: string, scene: Scene) => string[]): Forgery =>
  (scene) => {
    const post = signed(scene, bytesOf(scene.event));
    return { ...post, headers: change(post.headers[0] as string, scene) };
  };
/** A valid request with a changed body. */
const rebodied =
  (change: (body: Buffer, scene: Scene) => Buffer): Forgery =>
  (scene) => {
    const post = signed(scene, bytesOf(scene.event));
    return { ...post, body: change(post.body, scene) };
  };
const hexOf = (header: string) => header.slice(header.indexOf('v1=') + 3);
const timeOf = (header: string) => header.slice(2, header.indexOf(','));

/** Ways to change signed events or to sign other ones. */
export const FORGERIES: Readonly<Record<string, Forgery>> = {
  'a bit of the body': rebodied((body, { random }) => flip(body, random)),
  'a bit of the header': reheaded((header, { random }) => [
    flip(Buffer.from(header), random).toString('latin1'),
  ]),
  'a body that was read and written again': rebodied((body) =>
    Buffer.from(JSON.stringify(JSON.parse(String(body)), null, 1)),
  ),
  'another id': rebodied((body, { random }) =>
    Buffer.from(String(body).replace(/evt_\d+/, `evt_${random.below(1e9)}x`)),
  ),
  'another amount': rebodied((body) => Buffer.from(String(body).replace('4900', '1'))),
  'a shorter body': rebodied((body, { random }) => body.subarray(0, random.below(body.length))),
  'a longer body': rebodied((body) => Buffer.concat([body, Buffer.from('\n')])),
  'signed long ago': (scene) =>
    signed({ ...scene, nowMs: scene.nowMs - 301_000 - scene.random.below(86_400_000) }, bytesOf(scene.event)),
  'a newer time on an old signature': reheaded((header, { random }) => [
    `t=${Number(timeOf(header)) - 1 - random.below(200)},v1=${hexOf(header)}`,
  ]),
  'scheme v0': reheaded((header) => [header.replace('v1=', 'v0=')]),
  'another secret': (scene) =>
    signed({ ...scene, secret: `whsec_other_${scene.random.below(1e9)}` }, bytesOf(scene.event)),
  'the secret as Standard Webhooks would read it': ({ secret, nowMs, event }) => {
    const body = bytesOf(event);
    const time = Math.floor(nowMs / 1000);
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const hex = createHmac('sha256', key).update(`${time}.`).update(body).digest('hex');
    return { headers: [`t=${time},v1=${hex}`], body };
  },
  'the signature of another event': (scene) => {
    const other = signed(scene, bytesOf({ ...scene.event, id: `evt_${scene.random.below(1e9)}_other` }));
    return { headers: other.headers, body: bytesOf(scene.event) };
  },
  'two headers': reheaded((header) => [header, header]),
  'no header': reheaded(() => []),
  'a space': reheaded((header) => [header.replace(',', ', ')]),
  'hex in capitals': reheaded((header) => [`t=${timeOf(header)},v1=${hexOf(header).toUpperCase()}0`]),
  'a shorter signature': reheaded((header, { random }) => [
    header.slice(0, header.length - 1 - random.below(60)),
  ]),
  'a longer signature': reheaded((header) => [`${header}00`]),
  'nothing but a name': reheaded(() => ['v1=']),
};
