import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findConnection, findControlConnection } from './connection.js';

const DEV = { decisionUrl: 'http://127.0.0.1:4010', serviceToken: 'dev-token' };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tollgate-connection-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Writes `dev.json` and returns a folder two levels below its copy's. */
function writeDevFile(text: string, home = '.tollgate'): string {
  mkdirSync(path.join(folder, home), { recursive: true });
  writeFileSync(path.join(folder, home, 'dev.json'), text);
  const below = path.join(folder, 'a/b');
  mkdirSync(below, { recursive: true });
  return below;
}

describe('connection', () => {
  it('uses flags, then the environment, then the local instance', () => {
    const below = writeDevFile(JSON.stringify(DEV));
    const env = { TOLLGATE_URL: 'https://env.example', TOLLGATE_TOKEN: 'env-token' };
    const flags = { url: 'https://flag.example/decisions', token: 'flag-token' };
    expect(findConnection(flags, env, below)).toEqual(flags);
    expect(findConnection({ token: 'flag-token' }, env, below)).toEqual({
      url: 'https://env.example',
      token: 'flag-token',
    });
    expect(findConnection({}, env, below)).toEqual({ url: 'https://env.example', token: 'env-token' });
    expect(findConnection({}, {}, below)).toEqual({ url: DEV.decisionUrl, token: DEV.serviceToken });
    expect(findConnection({ token: 'flag-token' }, {}, below)).toEqual({
      url: DEV.decisionUrl,
      token: 'flag-token',
    });
  });

  it.each([
    [findConnection, 'TOLLGATE_URL', 'TOLLGATE_TOKEN'],
    [findControlConnection, 'TOLLGATE_GRAPHQL_URL', 'TOLLGATE_ADMIN_TOKEN'],
  ])('names the variables that %O reads', (find, urlVariable, tokenVariable) => {
    const home = { TOLLGATE_HOME: 'absent' };
    expect(() => find({}, home, folder)).toThrow(`(variables ${urlVariable} and ${tokenVariable})`);
    expect(() => find({}, { [urlVariable]: 'https://x.example' }, folder)).toThrow(`set ${tokenVariable}`);
    expect(() => find({}, { [urlVariable]: 'localhost' }, folder)).toThrow(`${urlVariable}: the address`);
  });

  it('finds an instance with its own folder', () => {
    const below = writeDevFile(JSON.stringify(DEV), '.tollgate-2');
    const found = { url: DEV.decisionUrl, token: DEV.serviceToken };
    expect(findConnection({}, { TOLLGATE_HOME: '.tollgate-2' }, below)).toEqual(found);
    expect(findConnection({}, { TOLLGATE_HOME: path.join(folder, '.tollgate-2') }, '/')).toEqual(found);
  });

  it('never sends the token of the local instance to another address', () => {
    const below = writeDevFile(JSON.stringify(DEV));
    expect(() => findConnection({ url: 'https://elsewhere.example' }, {}, below)).toThrow('service token');
  });

  it.each(['127.0.0.1:4010', 'ftp://x', 'file:///etc/passwd'])('refuses the address %s', (url) => {
    expect(() => findConnection({ url, token: 't' }, {}, folder)).toThrow(
      'is not an http:// or https:// one',
    );
  });

  it('explains how to start an instance if none is running', () => {
    expect(() => findConnection({}, { TOLLGATE_HOME: path.join(folder, 'absent') }, folder)).toThrow(
      'Start one with `npm start`, or pass --url and --token',
    );
  });

  it.each([
    ['{"serviceToken": secret}', 'it is not JSON'],
    ['{"serviceToken": "secret"}', 'an address or a token is missing'],
    ['{"decisionUrl": "secret", "serviceToken": "y"}', 'an address or a token is missing'],
  ])('explains problems of a dev.json of %s without quoting it', (text, reason) => {
    const below = writeDevFile(text);
    expect(() => findConnection({}, {}, below)).toThrow(/^(?!.*secret).*dev\.json cannot be used: /);
    expect(() => findConnection({}, {}, below)).toThrow(reason);
  });
});
