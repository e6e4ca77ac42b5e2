import { expect, test } from 'vitest';
import { amountInWords, dimensionsInWords, limitTitle, wordsOfName } from './limit-title.js';

test('writes names as words', () => {
  expect(
    ['createURL', 'get-url', 'sendMessage', 'URLStats', 'list_ids', 'sms.send'].map(wordsOfName),
  ).toEqual(['Create URL', 'Get URL', 'Send message', 'URL stats', 'List IDs', 'SMS send']);
});

test('names what a limit counts', () => {
  const api = 'url-shortener';
  expect(limitTitle({ api, operations: [] })).toBe('All of URL shortener');
  expect(limitTitle({ api, operations: ['createURL', 'getURL'] })).toBe('Create URL, Get URL');
  expect(limitTitle({ api, operations: ['a', 'b', 'c', 'd'] })).toBe('A, B and 2 more');
  expect(dimensionsInWords(['global', 'ip', 'userEmail'])).toBe('IP and user email');
});

test('writes amounts in whole words', () => {
  const rate = { algorithm: 'fixed_window', alignment: 'calendar' } as const;
  expect(amountInWords({ ...rate, limit: 180, windowMs: 60_000 } as never)).toBe('180 per minute');
  expect(amountInWords({ ...rate, limit: 10, windowMs: 900_000 } as never)).toBe('10 per 15 minutes');
  expect(amountInWords({ algorithm: 'quota', limit: 50_000, period: 'billing' } as never)).toBe(
    '50,000 per billing period',
  );
});
