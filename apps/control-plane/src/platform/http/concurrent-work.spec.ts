import { expect, it } from 'vitest';
import { ConcurrentWork } from './concurrent-work.js';

const work = () => new ConcurrentWork({ total: 3, perOwner: 2 }, 'Busy. Try again.');

it('rejects work beyond the limit of an owner, and runs that of others', () => {
  const slots = work();
  slots.begin(['tenant-a', 'ada']);
  slots.begin(['tenant-a', 'bob']);
  expect(() => slots.begin(['tenant-a', 'eve'])).toThrow('Busy');
  slots.begin(['tenant-b', 'ada']);
});

it('rejects work beyond the total', () => {
  const slots = work();
  for (const owner of ['a', 'b', 'c']) slots.begin([owner]);
  expect(() => slots.begin(['d'])).toThrow('Busy');
});

it('ends work once, also after an error', async () => {
  const slots = work();
  const fail = () => Promise.reject(new Error('failed'));
  for (let i = 0; i < 5; i++) await expect(slots.run(['a'], fail)).rejects.toThrow('failed');
  const end = slots.begin(['a']);
  end();
  end();
  slots.begin(['a']);
  slots.begin(['a']);
  expect(() => slots.begin(['a'])).toThrow('Busy');
});
