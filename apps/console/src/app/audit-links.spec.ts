import { QueryClient } from '@tanstack/react-query';
import { AUDIT_ACTIONS, type AuditAction } from '@tollgate/contracts/audit-actions';
import { expect, it } from 'vitest';
import { type AuditSubject, auditLink, entryText } from '../lib/audit-text.js';
import { createConsoleRouter } from './router.js';

const router = createConsoleRouter(new QueryClient());

function routeOf(entry: AuditSubject): string | undefined {
  const { pathname } = router.buildLocation(auditLink(entry) as Parameters<typeof router.buildLocation>[0]);
  return router.getMatchedRoutes(pathname)[2]?.fullPath;
}

it.each(Object.keys(AUDIT_ACTIONS) as AuditAction[])('%s names its object and links to a page', (action) => {
  const entry = { action, entity: AUDIT_ACTIONS[action], entityId: 'id_1', entityName: 'The object' };
  const entries = [entry, { ...entry, entityKey: 'the-key' }, { ...entry, tenantKey: 'acme' }];
  for (const one of entries) {
    expect(entryText(one)).toContain('The object');
    expect(routeOf(one), JSON.stringify(one)).toMatch(/^\/[a-z]/);
  }
});

it('links unknown actions to their entries', () => {
  const entry = { action: 'thing.newThing', entity: 'Thing', entityId: 'thing_1', entityName: 'A thing' };
  expect(entryText(entry)).toBe('thing new thing A thing');
  expect(routeOf(entry)).toBe('/audit');
});
