import type { LimitPolicy } from '@tollgate/contracts';
import type { ApiChoice } from './api/tier.js';
import { identityOf } from './limit-diff.js';

/** A limit to start from: the API's first operation that has none yet, 100 a minute, under a name that is free. */
export function newLimitFor(api: ApiChoice, existing: readonly LimitPolicy[]): LimitPolicy {
  const covered = new Set(
    existing.filter((limit) => limit.api === api.key).flatMap((limit) => limit.operations),
  );
  const operation = api.operations.find(({ name }) => !covered.has(name))?.name;
  return {
    name: freeName(api.key, slugOf(operation ?? 'all'), existing),
    api: api.key,
    operations: operation ? [operation] : [],
    per: [],
    algorithm: 'fixed_window',
    limit: 100,
    windowMs: 60_000,
    alignment: 'clock',
    onUnavailable: 'share',
  };
}

/** `createURL` to `create-url`: what a limit's name may hold. */
export function slugOf(operation: string): string {
  return operation
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 44);
}

function freeName(apiKey: string, wanted: string, existing: readonly LimitPolicy[]): string {
  const taken = new Set(existing.map(identityOf));
  let name = wanted;
  for (let i = 2; taken.has(`${apiKey}/${name}`); i++) name = `${wanted}-${i}`;
  return name;
}
