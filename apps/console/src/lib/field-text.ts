import { readFields as readFieldsIn } from '@tollgate/contracts/format';
import { readersZone } from './time-format.js';

/** A record's own values as people read them, by the words of their names; times are in the reader's zone. */
export const readFields = (record: unknown): Map<string, string> => readFieldsIn(record, readersZone());
