import type { LastGood } from '@tollgate/decision-plane/testing';
import type { PolicySigner } from '@tollgate/policy';
import { catalogueOf, seal, tenantOf } from './published-policy.ts';

/** The limit of each revision, which identifies it. */
export const limitOf = (revision: number) => 1000 + revision;

export const tenantName = (index: number) => `tenant-${index}`;

/** The file of a node at one revision with this many tenants. */
export function generationOf(signer: PolicySigner, revision: number, tenants: number): LastGood {
  const names = Array.from({ length: tenants }, (_, index) => tenantName(index));
  const records = names.map((name) => tenantOf(name, revision));
  const pieces = seal(signer, catalogueOf(revision, limitOf(revision)), records, revision);
  const { head, catalogue } = pieces;
  return { head, catalogue, confirmation: null, nodes: 4, tenants: Object.entries(pieces.tenants) };
}
