/** Where policy lives in Redis. One prefix; tenant keys hold no `:`, so no two records share a name. */
export const HEAD_KEY = 'tg:policy:head';
export const CATALOGUE_KEY = 'tg:policy:catalogue';
export const CONFIRMATION_KEY = 'tg:policy:confirmed';
export const ANNOUNCEMENTS = 'tg:policy:announcements';
export const TENANT_PREFIX = 'tg:policy:tenant:';

export const tenantRecordKey = (tenant: string) => `${TENANT_PREFIX}${tenant}`;

/** Names the tenant of an API key. Never removed: a key does not change hands, and is worth what its tenant's record says. */
export const keyOwnerKey = (publicId: string) => `tg:policy:key:${publicId}`;

/** Reports of nodes by their id; when those that stopped in order did; the channel on which both are told. */
export const NODES_KEY = 'tg:nodes';
export const NODES_LEFT_KEY = 'tg:nodes:left';
export const NODE_NEWS = 'tg:nodes:news';
