import type { LastGood } from '@tollgate/decision-plane/testing';
import { newSigningKey, PolicySigner } from '@tollgate/policy';
import type { Random } from '@tollgate/test-kit/random';
import { generationOf, limitOf } from './last-good-policy.ts';

/** The newest generation and the one before it, as bytes. */
export interface Files {
  readonly newest: Buffer;
  readonly previous: Buffer;
}

/** Damage to the newest file by a power cut, a bad disk or an incomplete copy. */
export const BYTE_DAMAGE: Readonly<Record<string, (files: Files, random: Random) => Buffer>> = {
  'a bit flipped': ({ newest }, random) => {
    const bytes = Buffer.from(newest);
    const at = random.below(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
    return bytes;
  },
  'cut off': ({ newest }, random) => newest.subarray(0, random.below(newest.length)),
  'torn: it begins new and ends old': ({ newest, previous }, random) => {
    const at = 1 + random.below(Math.min(newest.length, previous.length) - 1);
    return Buffer.concat([newest.subarray(0, at), previous.subarray(at)]);
  },
  'torn: a block was never written': ({ newest }, random) => {
    const bytes = Buffer.from(newest);
    const at = random.below(bytes.length);
    return bytes.fill(0, at, Math.min(at + 512, bytes.length));
  },
  empty: () => Buffer.alloc(0),
  'grown: something follows': ({ newest }, random) => Buffer.concat([newest, bytesOf(random)]),
  'foreign: noise': (_files, random) => bytesOf(random),
  'foreign: JSON of something else': () => Buffer.from('{"hash":"00","content":"{}"}'),
};

/** Forgeries with a matching hash. */
export const FORGED: Readonly<
  Record<string, (content: LastGood, before: LastGood, random: Random) => LastGood>
> = {
  'of another deployment': (content) => generationOf(foreign, 2, content.tenants.length),
  'the head changed': (content, _before, random) => ({ ...content, head: withFlip(content.head, random) }),
  'the head without its seal': (content) => ({
    ...content,
    head: content.head.slice(content.head.indexOf('{')),
  }),
  'a limit raised': (content) => ({
    ...content,
    catalogue: content.catalogue.replace(`"limit":${limitOf(2)}`, '"limit":999999'),
  }),
  'the catalogue cut off': (content, _before, random) => ({
    ...content,
    catalogue: content.catalogue.slice(0, random.below(content.catalogue.length)),
  }),
  'the head of one revision, the catalogue of another': (content, before) => ({
    ...content,
    catalogue: before.catalogue,
  }),
};

/** As {@link FORGED}, for tenants' records with a valid policy. */
export const FORGED_TENANTS: Readonly<Record<string, (content: LastGood, random: Random) => LastGood>> = {
  'a record changed': (content, random) => ({
    ...content,
    tenants: content.tenants.map(([tenant, stored]) => [tenant, withFlip(stored, random)]),
  }),
  "everybody has another's record": ({ tenants, ...content }) => ({
    ...content,
    tenants: tenants.map(([tenant], i) => [tenant, tenants[(i + 1) % tenants.length]?.[1] ?? '']),
  }),
  'records of another deployment': (content) => ({
    ...content,
    tenants: generationOf(foreign, 2, content.tenants.length).tenants,
  }),
};

const foreign = new PolicySigner(newSigningKey());

/** Replaces a character by another one of the same alphabet. */
function withFlip(text: string, random: Random): string {
  const at = random.below(text.length);
  const other = text[at] === '1' ? '2' : '1';
  return text.slice(0, at) + other + text.slice(at + 1);
}

function bytesOf(random: Random): Buffer {
  return Buffer.from(Array.from({ length: 1 + random.below(2000) }, () => random.below(256)));
}
