import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { SecretModal } from '../../../components/copy.js';
import { ApiKeyCreateDocument, apiKeysKey } from '../../../features/api-keys/api.js';
import { followChange } from '../../../features/nodes/follow-change.js';
import { TenantCreate } from '../../../features/tenants/tenant-forms.js';
import { notifyFailure } from '../../../lib/graphql-request.js';
import { useInputMutation } from '../../../lib/mutation.js';

interface NewTenantProps {
  tierKey?: string;
  parentKey?: string;
  onClose: () => void;
}

/** Creates a tenant, optionally with an API key, and opens its page. */
export function NewTenant({ tierKey, parentKey, onClose }: NewTenantProps) {
  const navigate = useNavigate();
  const issue = useInputMutation(ApiKeyCreateDocument, apiKeysKey);
  const [issued, setIssued] = useState<{ tenantKey: string; key: string | null | undefined }>();
  const open = (tenantKey: string) => void navigate({ to: '/tenants/$tenantKey', params: { tenantKey } });
  if (issued) {
    return (
      <SecretModal
        title={`API key of ${issued.tenantKey}`}
        hint="Copy the key now. You won’t be able to see this again. Only a hash is stored."
        secret={issued.key}
        copyLabel="Copy key"
        doneLabel="I have saved it"
        onClose={() => open(issued.tenantKey)}
      />
    );
  }
  return (
    <TenantCreate
      {...(tierKey === undefined ? {} : { tierKey })}
      {...(parentKey === undefined ? {} : { parentKey })}
      onClose={onClose}
      onCreated={({ key: tenantKey, changeId, apiKeyName }) => {
        followChange(changeId, `${tenantKey} created`);
        if (apiKeyName === undefined) return open(tenantKey);
        issue.mutate(
          { tenantKey, name: apiKeyName },
          {
            onSuccess: ({ key }) => setIssued({ tenantKey, key }),
            onError: (error) => {
              notifyFailure('The tenant was created, but not its API key')(error);
              open(tenantKey);
            },
          },
        );
      }}
    />
  );
}
