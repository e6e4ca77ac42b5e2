import { describe, expect, it } from 'vitest';
import { nodeUrlOf } from './cluster/cluster-shards.js';
import { parseCountersUrl } from './counters.js';

describe('counter Redis address', () => {
  it.each([
    'redis://localhost',
    'redis://127.0.0.1:6379/2',
    'rediss://user:p%40ss@redis.example:6380/0',
    'redis://[::1]:6379',
  ])('accepts a server: %s', (url) => {
    expect(parseCountersUrl(` ${url} `)).toEqual({ kind: 'server', url });
  });

  it('accepts a cluster of one or more nodes, with default port 6379', () => {
    expect(parseCountersUrl('redis-cluster://10.0.0.1:7000,10.0.0.2,[::1]:7002')).toEqual({
      kind: 'cluster',
      tls: false,
      nodes: [
        { host: '10.0.0.1', port: 7000 },
        { host: '10.0.0.2', port: 6379 },
        { host: '::1', port: 7002 },
      ],
    });
  });

  it('accepts a cluster with TLS and a password', () => {
    expect(parseCountersUrl('rediss-cluster://node:p%2Fw%40d@a:1,b:2/0')).toEqual({
      kind: 'cluster',
      tls: true,
      username: 'node',
      password: 'p/w@d',
      nodes: [
        { host: 'a', port: 1 },
        { host: 'b', port: 2 },
      ],
    });
  });

  it('formats one node of a cluster as a server address', () => {
    for (const [cluster, node] of [
      ['redis-cluster://10.0.0.1:7000,10.0.0.2', 'redis://10.0.0.1:7000'],
      ['rediss-cluster://node:p%2Fw%40d@[::1]:7000', 'rediss://node:p%2Fw%40d@[::1]:7000'],
    ] as const) {
      const address = parseCountersUrl(cluster);
      expect(address.kind === 'cluster' && nodeUrlOf(address)).toBe(node);
    }
  });

  it.each([
    ['', /must be redis:/],
    ['localhost:6379', /must be redis:/],
    ['http://localhost', /must be redis:/],
    ['redis://', /has no host/],
    ['redis://a:1,b:2', /redis-cluster:/],
    ['redis://host/zero', /must be a number/],
    ['redis://host:99999', /port from 1 to 65535/],
    ['redis-cluster://', /without a host/],
    ['redis-cluster://a:1,,b:2', /without a host/],
    ['redis-cluster://a:1,b:x', /is invalid/],
    ['redis-cluster://a:1/3', /no databases/],
  ])('rejects %s with the reason', (url, message) => {
    expect(() => parseCountersUrl(url)).toThrow(message);
  });

  it('error messages do not contain the password', () => {
    for (const url of [
      'redis://u:s3cret@host:99999',
      'redis-cluster://u:s3cret@a:1,b:x',
      'rdis://u:s3cret@h',
    ]) {
      expect(() => parseCountersUrl(url)).toThrow(expect.not.stringContaining('s3cret') as unknown as Error);
    }
  });
});
