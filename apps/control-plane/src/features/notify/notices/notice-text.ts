import { readFields } from '@tollgate/contracts';
import { NOTICE_KINDS, type NoticeKindFacts } from '../../../platform/changes/notice-kinds.js';

const UNKNOWN: NoticeKindFacts = { severity: 'info', title: '', members: [], operators: [], isEvent: false };

const MAX_VALUE_LENGTH = 200;

/** What is known of a kind; of one that an earlier version wrote and this one does not know, next to nothing. */
export function factsOf(kind: string): NoticeKindFacts {
  return kind in NOTICE_KINDS ? NOTICE_KINDS[kind as keyof typeof NOTICE_KINDS] : { ...UNKNOWN, title: kind };
}

/** The kinds that go to endpoints of outgoing events. */
export const EVENT_KINDS: readonly string[] = Object.entries(NOTICE_KINDS)
  .filter(([, facts]) => facts.isEvent)
  .map(([kind]) => kind);

/** A notice in one line. A field that its data lacks is left out. */
export function titleOf(kind: string, data: Record<string, unknown>): string {
  return factsOf(kind)
    .title.replace(/\{(\w+)\}/g, (_, name: string) => textOf(data[name]))
    .replace(/\s+/g, ' ')
    .trim();
}

/** What a notice holds, a line for each field, times by the clock of the zone: `Paid through: 1 Dec 2026, 00:00 UTC`. */
export function detailsOf(data: unknown, timeZone: string): string[] {
  return [...readFields(data, timeZone)].map(
    ([name, text]) => `${name.charAt(0).toUpperCase()}${name.slice(1)}: ${text.slice(0, MAX_VALUE_LENGTH)}`,
  );
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value.slice(0, MAX_VALUE_LENGTH);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return '';
}
