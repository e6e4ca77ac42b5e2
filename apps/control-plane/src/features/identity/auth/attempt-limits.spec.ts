import { expect, it } from 'vitest';
import { KnownDevices } from './attempt-limits.js';

const SECRET = 'a secret that is used by tests only, long enough';
const ACCOUNT = 'a@x.example';

const headerOf = (devices: KnownDevices, account = ACCOUNT, id?: string) => {
  const { name, value } = devices.cookieFor(account, id);
  return `other=1; ${name}=${value}; more=2`;
};

it('reads the device of an account from its cookie and keeps its id', () => {
  const devices = new KnownDevices(SECRET, false);
  const id = devices.find(headerOf(devices), ACCOUNT);
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(devices.find(headerOf(devices, ACCOUNT, id), ' A@X.example')).toBe(id);
});

it('ignores missing and modified cookies, and those of another account or secret', () => {
  const devices = new KnownDevices(SECRET, false);
  expect(devices.find(headerOf(devices), 'b@x.example')).toBeUndefined();
  expect(devices.find(headerOf(new KnownDevices(`${SECRET}!`, false)), ACCOUNT)).toBeUndefined();
  expect(devices.find(headerOf(devices).replace(/=(.)/g, '=x$1'), ACCOUNT)).toBeUndefined();
  for (const header of [undefined, null, '', `${devices.cookieFor(ACCOUNT).name}=`])
    expect(devices.find(header, ACCOUNT)).toBeUndefined();
});

it('expires a device after 180 days', () => {
  let nowMs = 0;
  const devices = new KnownDevices(SECRET, true, () => nowMs);
  const header = headerOf(devices);
  expect(header).toContain('__Host-tollgate.device-');
  nowMs = 180 * 86_400_000;
  expect(devices.find(header, ACCOUNT)).toBeDefined();
  nowMs += 1000;
  expect(devices.find(header, ACCOUNT)).toBeUndefined();
});
