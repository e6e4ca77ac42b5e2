import { hash } from 'node:crypto';
import type { Catalogue, TenantRecord } from '@tollgate/contracts';
import { newSigningKey, PolicySigner } from '@tollgate/policy';
import type { Random } from '@tollgate/test-kit/random';
import { type PolicyPieces, seal } from './published-policy.ts';

/** The valid policy and a key to seal with. */
export interface Draft {
  readonly signer: PolicySigner;
  readonly catalogue: Catalogue;
  readonly tenants: readonly TenantRecord[];
  /** Revision of the head; the catalogue may have an earlier one. */
  readonly revision: number;
}

/** Creates an invalid policy; undefined if the result would be valid. */
export type Mutation = (draft: Draft, random: Random) => PolicyPieces | undefined;

const foreign = new PolicySigner(newSigningKey());

/** By name: changes by an attacker with write access to Redis, or by a faulty control plane. */
export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'head: a character flipped': (draft, random) => flipped(draft, 'head', random),
  'head: cut off': (draft, random) => {
    const pieces = sealed(draft);
    return { ...pieces, head: pieces.head.slice(0, random.below(pieces.head.length)) };
  },
  'head: the seal of another kind': (draft) => {
    const pieces = sealed(draft);
    const text = pieces.head.slice(pieces.head.indexOf('{'));
    return { ...pieces, head: draft.signer.seal('announcement', text) };
  },
  'head: a later revision under the same seal': (draft) => {
    const pieces = sealed(draft);
    return { ...pieces, head: pieces.head.replace(/"revision":\d+/, '"revision":999999') };
  },
  'head: without a seal': (draft) => {
    const pieces = sealed(draft);
    return { ...pieces, head: pieces.head.slice(pieces.head.indexOf('{')) };
  },
  'head: too long': (draft) => {
    const pieces = sealed(draft);
    const text = `${pieces.head.slice(pieces.head.indexOf('{'), -1)}${' '.repeat(5000)}}`;
    return { ...pieces, head: draft.signer.seal('head', text) };
  },
  'everything sealed with an unknown key': ({ catalogue, tenants, revision }) =>
    seal(foreign, catalogue, tenants, revision),
  'catalogue: a character flipped': (draft, random) => flipped(draft, 'catalogue', random),
  'catalogue: a limit raised': (draft) => {
    const pieces = sealed(draft);
    return { ...pieces, catalogue: pieces.catalogue.replace(/"limit":\d+/, '"limit":1000000') };
  },
  'catalogue: cut off': (draft, random) => {
    const pieces = sealed(draft);
    return { ...pieces, catalogue: pieces.catalogue.slice(0, random.below(pieces.catalogue.length)) };
  },
  'catalogue, sealed: a field too many': (draft) => resealed(draft, (text) => `{"more":1,${text.slice(1)}`),
  'catalogue, sealed: a field missing': (draft) =>
    resealed(draft, (text) => text.replace('"serviceTokens":[],', '').replace(',"serviceTokens":[]', '')),
  'catalogue, sealed: a limit below 0': (draft) =>
    resealed(draft, (text) => text.replace(/"limit":\d+/, '"limit":-1')),
  'catalogue, sealed: a limit beyond integers': (draft) =>
    resealed(draft, (text) => text.replace(/"limit":\d+/, '"limit":9007199254740993')),
  'catalogue, sealed: a window of no length': (draft) =>
    resealed(draft, (text) => text.replace(/"windowMs":\d+/, '"windowMs":0')),
  'catalogue, sealed: no JSON': (draft) => resealed(draft, (text) => text.slice(0, -1)),
  'tenant: a character flipped': (draft, random) =>
    ofTenant(draft, (record) => withFlip(record, random.below(record.length), random)),
  'tenant: the record of another': (draft) =>
    ofTenant(draft, () =>
      draft.signer.seal('tenant', JSON.stringify({ ...draft.tenants[0], tenant: 'other' })),
    ),
  'tenant: an older record': (draft) =>
    ofTenant(draft, () => draft.signer.seal('tenant', JSON.stringify({ ...draft.tenants[0], revision: 1 }))),
  'tenant: without a seal': (draft) => ofTenant(draft, (record) => record.slice(record.indexOf('{'))),
  'tenant, sealed: a field too many': (draft) =>
    ofTenant(draft, () => draft.signer.seal('tenant', JSON.stringify({ ...draft.tenants[0], more: 1 }))),
};

function sealed({ signer, catalogue, tenants, revision }: Draft): PolicyPieces {
  return seal(signer, catalogue, tenants, revision);
}

function flipped(draft: Draft, piece: 'head' | 'catalogue', random: Random): PolicyPieces | undefined {
  const pieces = sealed(draft);
  const text = withFlip(pieces[piece], random.below(pieces[piece].length), random);
  return text === pieces[piece] ? undefined : { ...pieces, [piece]: text };
}

/** A faulty catalogue with valid hash and seal. */
function resealed(draft: Draft, change: (text: string) => string): PolicyPieces {
  const pieces = sealed(draft);
  const catalogue = change(pieces.catalogue);
  const head = JSON.parse(pieces.head.slice(pieces.head.indexOf('{'))) as object;
  const catalogueHash = hash('sha256', catalogue, 'hex');
  return {
    ...pieces,
    catalogue,
    head: draft.signer.seal('head', JSON.stringify({ ...head, catalogueHash })),
  };
}

/** The catalogue is unchanged; only a tenant's record is invalid. */
function ofTenant(draft: Draft, change: (record: string) => string): PolicyPieces | undefined {
  const pieces = sealed(draft);
  const [tenant = ''] = Object.keys(pieces.tenants);
  const record = pieces.tenants[tenant] ?? '';
  const changed = change(record);
  return changed === record ? undefined : { ...pieces, tenants: { ...pieces.tenants, [tenant]: changed } };
}

function withFlip(text: string, at: number, random: Random): string {
  const code = text.charCodeAt(at) ^ (1 << random.below(7));
  return text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
}
