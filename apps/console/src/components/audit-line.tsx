import { type AuditSubject, auditLink, describeEntry } from '../lib/audit-text.js';
import { LinkAnchor, TenantLink } from './links.js';

/** What a change did, with its object and tenant linked: `published Free v3`. */
export function AuditLine({ entry }: { entry: AuditSubject }) {
  const { start, name, end } = describeEntry(entry);
  const namesTenant = entry.entity === 'Tenant';
  return (
    <>
      {start}{' '}
      <LinkAnchor {...auditLink(entry)} inherit underline="always">
        {name}
      </LinkAnchor>
      {end && ` ${end}`}
      {entry.tenantKey && !namesTenant && (
        <>
          {' '}
          for <TenantLink tenantKey={entry.tenantKey} inText />
        </>
      )}
    </>
  );
}
