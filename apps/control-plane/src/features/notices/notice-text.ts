import { NOTICE_KINDS, type NoticeKindFacts } from '../../platform/changes/notice-kinds.js';

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

/** What a notice holds, a line for each field: `periodEnd: 2026-12-01T00:00:00Z`. */
export function detailsOf(data: Record<string, unknown>): string[] {
  return Object.entries(data).flatMap(([name, value]) => {
    const text = textOf(value);
    return text === '' ? [] : [`${wordsOf(name)}: ${text}`];
  });
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value.slice(0, MAX_VALUE_LENGTH);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return '';
}

/** `periodEnd` as `Period end`. */
function wordsOf(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
