import { it } from 'vitest';
import { expectToHold } from '../expect-to-hold.ts';
import { forgeriesAreRejected } from './forgeries-are-rejected.ts';

it('C2: rejects 5,000 forgeries', () => expectToHold(forgeriesAreRejected, { scale: 0.05 }));
