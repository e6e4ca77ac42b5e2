import { readFileSync } from 'node:fs';
import { hashToken, issueToken } from '@tollgate/contracts/service-token';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { EntryMessage } from './rls-client.js';
import { limitOf } from './rls-policy.js';
import { useRunningRls } from './running-rls.js';
import { PEPPERS } from './running-server.js';

const FOLDER = new URL('../../../examples/envoy/', import.meta.url);

type Action = {
  generic_key?: { descriptor_key?: string; descriptor_value: string };
  request_headers?: { header_name: string; descriptor_key: string; skip_if_absent?: boolean };
  remote_address?: object;
};
type Route = {
  match: { path?: string; prefix?: string };
  route: { cluster: string; rate_limits: { actions: Action[] }[] };
};

const envoy = parse(readFileSync(new URL('envoy.yaml', FOLDER), 'utf8')).static_resources;
const mapping = JSON.parse(readFileSync(new URL('mapping.json', FOLDER), 'utf8'));
const manager = envoy.listeners[0].filter_chains[0].filters[0].typed_config;
const filter = manager.http_filters[0].typed_config;
const routes = manager.route_config.virtual_hosts[0].routes as Route[];

/** Entry of an action: `skipped` leaves it out, `dropped` its whole descriptor. */
type Entry = EntryMessage | 'skipped' | 'dropped';

/** Descriptors that Envoy's actions create for a request. */
function descriptorsOf(path: string, headers: Record<string, string>, address: string) {
  const route = routes.find(
    ({ match }) => match.path === path || (match.prefix && path.startsWith(match.prefix)),
  );
  const descriptors = route?.route.rate_limits.map(({ actions }) =>
    actions.map((action) => entryOf(action, headers, address)),
  );
  return (descriptors ?? []).flatMap((entries) =>
    entries.includes('dropped') ? [] : [{ entries: entries.filter((entry) => typeof entry === 'object') }],
  );
}

function entryOf(action: Action, headers: Record<string, string>, address: string): Entry {
  if (action.generic_key !== undefined) {
    const { descriptor_key: key = 'generic_key', descriptor_value: value } = action.generic_key;
    return { key, value };
  }
  if (action.request_headers !== undefined) {
    const {
      header_name: header,
      descriptor_key: key,
      skip_if_absent: isOptional = false,
    } = action.request_headers;
    const value = headers[header];
    if (value === undefined) return isOptional ? 'skipped' : 'dropped';
    return { key, value };
  }
  if (action.remote_address === undefined)
    throw new Error(`an action of another kind: ${JSON.stringify(action)}`);
  return { key: 'remote_address', value: address };
}

describe('examples/envoy', () => {
  const key = issueToken('tgk', 'live');
  const api = { api: 'url-shortener' };
  const rls = useRunningRls(
    (relay) => ({
      apis: [
        {
          key: 'url-shortener',
          unknownOperations: 'allow',
          operations: ['createURL', 'getURL'].map((name) => ({ name, cost: 1 })),
        },
      ],
      limits: [
        limitOf('create', 3, { ...api, operations: ['createURL'], per: ['user'] }),
        limitOf('browse', 2, { ...api, operations: ['getURL'], per: ['ip'] }),
      ],
      tenants: [
        relay.tenant('public'),
        relay.tenant('acme', {
          keys: [{ publicId: key.publicId, secrets: [{ hash: hashToken(key.token, PEPPERS.get(1) ?? '') }] }],
        }),
      ],
    }),
    mapping,
  );
  const ask = async (path: string, headers: Record<string, string>, address = '192.0.2.1') => {
    const descriptors = descriptorsOf(path, headers, address);
    return await rls.client.ask({ domain: filter.domain, descriptors });
  };

  it('refers to an existing service with HTTP/2 and a token, and routes to existing clusters', () => {
    const { grpc_service: grpc, transport_api_version: version } = filter.rate_limit_service;
    const clusters = new Map(envoy.clusters.map((cluster: { name: string }) => [cluster.name, cluster]));
    expect(version).toBe('V3');
    expect(grpc.initial_metadata).toEqual([
      { key: 'authorization', value: expect.stringMatching(/^Bearer /) },
    ]);
    expect(JSON.stringify(clusters.get(grpc.envoy_grpc.cluster_name))).toContain('http2_protocol_options');
    for (const { route } of routes) expect(clusters.has(route.cluster)).toBe(true);
  });

  it('a key identifies the tenant and a header the user: each user has the full limit', async () => {
    const codes = [];
    for (const user of ['u1', 'u1', 'u1', 'u1', 'u2']) {
      codes.push((await ask('/links', { 'x-api-key': key.token, 'x-user': user })).overall_code);
    }
    expect(codes).toEqual(['OK', 'OK', 'OK', 'OVER_LIMIT', 'OK']);
  });

  it('requests without a key count by address for the public tenant', async () => {
    const codes = [];
    for (const address of ['192.0.2.7', '192.0.2.7', '192.0.2.7', '192.0.2.8']) {
      codes.push((await ask('/docs', {}, address)).overall_code);
    }
    expect(codes).toEqual(['OK', 'OK', 'OVER_LIMIT', 'OK']);
  });

  it('an invalid key is denied', async () => {
    const answer = await ask('/links', { 'x-api-key': 'tgk_live_none', 'x-user': 'u1' });
    expect(answer).toMatchObject({
      overall_code: 'OVER_LIMIT',
      statuses: [{ code: 'OVER_LIMIT', current_limit: null }],
    });
  });

  it.each<[string, Record<string, string>]>([
    ['no header', {}],
    ['no key', { 'x-user': 'u1' }],
    ['an empty key', { 'x-api-key': '' }],
    ['a foreign key', { 'x-api-key': 'tgk_live_none' }],
    ['a long key', { 'x-api-key': 'x'.repeat(8000) }],
    ['a foreign and a long header', { 'x-user': 'x'.repeat(8000), 'x-other': 'y' }],
    ['a malformed header', { 'x-user': '\u00ff\ufffd' }],
  ])('a request with %s is counted or denied', async (_, headers) => {
    const codes: string[] = [];
    for (let i = 0; i < 4; i++) codes.push((await ask('/links', headers)).overall_code);
    expect(codes.at(-1)).toBe('OVER_LIMIT');
  });

  it('a request without its optional header counts with all others without it', async () => {
    const codes: string[] = [];
    for (let i = 0; i < 4; i++) codes.push((await ask('/links', { 'x-api-key': key.token })).overall_code);
    expect(codes).toEqual(['OK', 'OK', 'OK', 'OVER_LIMIT']);
  });
});
