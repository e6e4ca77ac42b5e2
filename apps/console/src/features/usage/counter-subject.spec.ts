import { expect, it } from 'vitest';
import { counterSubject } from './counter-subject.js';

it('reads from a counter’s name whom it counts', () => {
  expect(counterSubject('{acme}:f1:url-shortener:create-minute')).toEqual({ kind: 'tenant' });
  expect(counterSubject('{acme}:l1:auth:login-ip~203.0.113.9')).toEqual({
    kind: 'values',
    values: ['203.0.113.9'],
  });
  expect(counterSubject('{acme}:g1:shop:both=u1#Zm9v~10.0.0.1')).toEqual({
    kind: 'values',
    values: ['u1', undefined, '10.0.0.1'],
  });
  expect(counterSubject('{acme}:g1:shop:both?~10.0.0.1')).toEqual({
    kind: 'values',
    values: [null, '10.0.0.1'],
  });
  expect(counterSubject('{acme}:g1:shop:both^')).toEqual({ kind: 'overflow' });
});
