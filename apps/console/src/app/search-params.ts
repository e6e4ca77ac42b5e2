import type { TenantStatus } from '../generated/graphql.js';

/** What a page keeps in its address. Unknown or malformed parts are dropped, never an error. */
export interface SignInSearch {
  /** A path of this console to go to afterwards. */
  next?: string;
  /** A one-time link was followed that no longer works. */
  link?: 'spent';
}

export interface TenantsSearch {
  search?: string;
  tier?: string;
  status?: TenantStatus;
}

type RawSearch = Record<string, unknown>;

/** Keeps `next` only when it stays on this origin: `//elsewhere` and absolute addresses are dropped. */
export function parseSignInSearch(raw: RawSearch): SignInSearch {
  const { next, link } = raw;
  return {
    ...(typeof next === 'string' && /^\/(?![/\\])/.test(next) ? { next } : {}),
    ...(link === 'spent' ? { link } : {}),
  };
}

/** The tenant list's filter. */
export function parseTenantsSearch(raw: RawSearch): TenantsSearch {
  const { status } = raw;
  return {
    ...textPart(raw, 'search'),
    ...textPart(raw, 'tier'),
    ...(status === 'ACTIVE' || status === 'SUSPENDED' ? { status } : {}),
  };
}

/** A key that looks like a number arrives as one; it is a text all the same. */
function textPart<K extends string>(raw: RawSearch, key: K): Partial<Record<K, string>> {
  const value = raw[key];
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  return text === '' ? {} : ({ [key]: text } as Partial<Record<K, string>>);
}
