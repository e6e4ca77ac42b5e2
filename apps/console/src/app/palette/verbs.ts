import type { TenantStatus } from '../../generated/graphql.js';
import type { Permission } from '../../lib/viewer.js';
import type { FoundObject } from './search-everything.js';

/** An action on an object, typed as `boost acme`. */
export interface Verb {
  name: string;
  /** Completed by the object: `Change the tier of` Acme. */
  label: string;
  /** For the list of actions. */
  title: string;
  object: 'tenant' | 'tier';
  permission: Permission;
  /** Status of the tenants that it applies to; any if undefined. */
  status?: TenantStatus;
  /** Objects that it applies to; all if undefined. */
  appliesTo?: (found: FoundObject) => boolean;
  /** Label for any other text, such as a request ID; undefined: it applies to objects only. */
  labelOfText?: (text: string) => string;
  /** The page that opens with the dialog or review. */
  page: (key: string) => string;
}

const ofTenant = (action: string) => (key: string) => `/tenants/${key}?do=${action}`;

export const VERBS: readonly Verb[] = [
  {
    name: 'boost',
    label: 'Boost',
    title: 'Boost a tenant',
    object: 'tenant',
    permission: 'boosts:write',
    page: ofTenant('boost'),
  },
  {
    name: 'override',
    label: 'Override a limit of',
    title: 'Override a limit of a tenant',
    object: 'tenant',
    permission: 'overrides:write',
    page: ofTenant('override'),
  },
  {
    name: 'move',
    label: 'Change the tier of',
    title: 'Change the tier of a tenant',
    object: 'tenant',
    permission: 'subscriptions:write',
    page: ofTenant('tier'),
  },
  {
    name: 'suspend',
    label: 'Suspend',
    title: 'Suspend a tenant',
    object: 'tenant',
    permission: 'tenants:write',
    status: 'ACTIVE',
    page: ofTenant('status'),
  },
  {
    name: 'resume',
    label: 'Resume',
    title: 'Resume a tenant',
    object: 'tenant',
    permission: 'tenants:write',
    status: 'SUSPENDED',
    page: ofTenant('status'),
  },
  {
    name: 'key',
    label: 'Create an API key for',
    title: 'Create an API key for a tenant',
    object: 'tenant',
    permission: 'api-keys:write',
    status: 'ACTIVE',
    page: (key) => `/tenants/${key}/keys?do=key`,
  },
  {
    name: 'usage',
    label: 'Usage of',
    title: 'Usage of a tenant',
    object: 'tenant',
    permission: 'usage:read',
    page: (key) => `/tenants/${key}/usage`,
  },
  {
    name: 'why',
    label: 'Why: decisions of',
    title: 'Why was a request denied?',
    object: 'tenant',
    permission: 'usage:read',
    labelOfText: (text) => `Why: look up “${text}”`,
    page: (key) => `/why?${new URLSearchParams({ q: key })}`,
  },
  {
    name: 'publish',
    label: 'Publish the draft of',
    title: 'Publish the draft of a tier',
    object: 'tier',
    permission: 'tiers:write',
    appliesTo: ({ hasDraft }) => hasDraft === true,
    page: (key) => `/tiers/${key}?do=publish`,
  },
];

/** The verb that the text begins with, and the rest: the object. Undefined without a space after the verb. */
export function readVerb(text: string, verbs: readonly Verb[]): { verb: Verb; rest: string } | undefined {
  const [, word, rest = ''] = /^(\S+)\s+(.*)$/.exec(text.trimStart()) ?? [];
  const verb = verbs.find(({ name }) => name === word?.toLowerCase());
  return verb && { verb, rest: rest.trim() };
}
