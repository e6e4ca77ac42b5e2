import { Select, TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { CopyBlock } from '../../components/copy.js';
import { CreateModal } from '../../components/create-modal.js';
import { Hint } from '../../components/page.js';
import { useFields } from '../../lib/form.js';
import { useMutationDialog } from '../../lib/mutation.js';
import { UsageWidgetTokenCreateDocument } from './api.js';

/** Opens a dialog that makes the code to embed the usage widget of a tenant. */
export function WidgetSnippetButton() {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <GatedButton permission="usage:read" variant="default" onClick={() => setOpened(true)}>
        Get code
      </GatedButton>
      {opened && <WidgetSnippetDialog onClose={() => setOpened(false)} />}
    </>
  );
}

function WidgetSnippetDialog({ onClose }: { onClose: () => void }) {
  const [url, setUrl] = useState<string>();
  const { errors, dialog } = useMutationDialog(UsageWidgetTokenCreateDocument, ['tenantKey', 'limits']);
  const { values, bind } = useFields(errors, { tenantKey: '', limits: [] as string[], theme: 'auto' });
  const { tenantKey, limits, theme } = values;
  const save = dialog({ tenantKey: tenantKey.trim(), limits: limits.length === 0 ? null : limits }, (made) =>
    setUrl(made.url ?? undefined),
  );
  return (
    <CreateModal title="Embed the usage widget" submitLabel="Create code" onClose={onClose} {...save}>
      <TextInput label="Tenant key" required data-autofocus {...bind('tenantKey')} />
      <TagsInput
        label="Limits"
        description="As api/limit. Empty: all limits."
        maxTags={20}
        {...bind('limits')}
      />
      <Select
        label="Theme"
        data={[
          { value: 'auto', label: 'As the system' },
          { value: 'light', label: 'Light' },
          { value: 'dark', label: 'Dark' },
        ]}
        {...bind('theme')}
      />
      {url !== undefined && (
        <>
          <CopyBlock text={snippetOf(`${url}&theme=${theme}`)} label="Code" />
          <Hint>
            This token expires in one hour. In your dashboard, let your server create tokens with a service
            token of scope usage:read, and send a new one when the widget asks for it.
          </Hint>
        </>
      )}
    </CreateModal>
  );
}

const snippetOf = (
  url: string,
): string => `<iframe id="usage" title="Usage" width="360" height="320" style="border:0"
  src="${url}"></iframe>
<script>
  const usage = document.getElementById('usage');
  addEventListener('message', async ({ source, data }) => {
    if (source !== usage.contentWindow || data?.type !== 'tollgate:token-needed') return;
    // Your server calls usageWidgetTokenCreate and returns the token.
    const token = await (await fetch('/your-server/usage-token')).text();
    source.postMessage({ type: 'tollgate:token', token }, '${new URL(url).origin}');
  });
</script>`;
