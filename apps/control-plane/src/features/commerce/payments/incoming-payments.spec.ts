import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readSigned, signBody } from './incoming-payments.js';
import { PURCHASE_EVENTS } from './stripe-events.js';

const SECRET = 'whsec_tollgate_test';
const NOW_MS = 1_767_225_600_000;
const BODY = Buffer.from('{"id":"evt_1","object":"event"}');
const SIGNATURE = '384cf8de774aa15e0bdeef1c3ad67e630ae2f285b75b3cb6da693dcde05aecaf';

const verify = (header: string, secrets = [SECRET], nowMs = NOW_MS) =>
  readSigned({ headers: [header], body: BODY, nowMs }, secrets).kind;

describe('the webhook endpoint at Stripe', () => {
  it('is documented with every event that changes purchases', () => {
    const page = new URL('../../../../../../docs/operate/payments.md', import.meta.url);
    const [, section = ''] = readFileSync(page, 'utf8').split(/^## /m);
    const documented = [...section.matchAll(/`([a-z_]+\.[a-z_.]+)`/g)].map(([, type]) => type);
    expect(documented.toSorted()).toEqual([...PURCHASE_EVENTS].toSorted());
  });
});

describe('a signature', () => {
  it('equals the one that Stripe computes', () => {
    expect(signBody(BODY, SECRET, NOW_MS)).toBe(`t=1767225600,v1=${SIGNATURE}`);
    expect(verify(`t=1767225600,v1=${SIGNATURE}`)).toBe('json');
  });

  it('is valid under either secret during a rotation, and next to candidates of the other', () => {
    expect(verify(`t=1767225600,v1=${SIGNATURE}`, ['whsec_new_one', SECRET])).toBe('json');
    expect(verify(`t=1767225600,v1=${'0'.repeat(64)},v1=${SIGNATURE},v0=${SIGNATURE}`)).toBe('json');
    expect(verify(`t=1767225600,v1=${SIGNATURE}`, ['whsec_new_one'])).toBe('unsigned');
  });

  it('is valid next to schemes that are not known, whatever their form', () => {
    expect(verify(`t=1767225600,v1=${SIGNATURE},v2=bmV3==`)).toBe('json');
  });

  it.each([
    [300, 'json'],
    [301, 'unsigned'],
    [86_400, 'unsigned'],
  ])('that is %i seconds old is %s', (ageS, kind) => {
    expect(verify(`t=1767225600,v1=${SIGNATURE}`, [SECRET], NOW_MS + ageS * 1000)).toBe(kind);
  });

  it('says for the log why it is not valid', () => {
    const headers = [`t=1767225600,v1=${SIGNATURE}`];
    expect(readSigned({ headers, body: BODY, nowMs: NOW_MS + 301_000 }, [SECRET])).toEqual({
      kind: 'unsigned',
      reason: 'Timestamp outside the tolerance zone',
    });
  });
});
