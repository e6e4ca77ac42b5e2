import { Modal, SegmentedControl, Stack, Text, UnstyledButton } from '@mantine/core';
import { IconCode } from '@tabler/icons-react';
import { useState } from 'react';
import { cliText, curlText, graphqlText, type MutationCall, yamlText } from '../lib/mutation-text.js';
import classes from './copy-as.module.css';
import { CopyBlock } from './copy-block.js';

/** What a form is about to do. */
export interface CopyAsProps {
  /** What the form would send, as it stands. */
  call: MutationCall;
  /** The same as a part of a configuration file, where it can be kept in one. */
  config?: object | undefined;
}

type Form = 'curl' | 'graphql' | 'yaml' | 'cli';

/** What a form is about to do, as a text for a script, a file or a colleague. */
export function CopyAs({ call, config }: CopyAsProps) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <UnstyledButton className={classes.button} onClick={() => setOpened(true)}>
        <IconCode size={15} stroke={1.8} aria-hidden /> Copy as…
      </UnstyledButton>
      <Modal opened={opened} onClose={() => setOpened(false)} title="Copy as…" size="lg">
        {opened && <Texts call={call} config={config} />}
      </Modal>
    </>
  );
}

function Texts({ call, config }: CopyAsProps) {
  const [form, setForm] = useState<Form>('curl');
  const texts: Partial<Record<Form, string>> = {
    curl: curlText(call, window.location.origin),
    graphql: graphqlText(call),
    ...(config ? { yaml: yamlText(config), cli: cliText(config) } : {}),
  };
  const names: Record<Form, string> = { curl: 'cURL', graphql: 'GraphQL', yaml: 'YAML', cli: 'CLI' };
  const hints: Record<Form, string> = {
    curl: 'A shell command. Set TOLLGATE_TOKEN to a service token first.',
    graphql: 'The mutation this form sends, with its variables.',
    yaml: 'The same change as a configuration file. Everything the file names is managed by it from then on.',
    cli: 'Writes the file, shows the diff and applies it.',
  };
  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label="Form"
        data={(Object.keys(texts) as Form[]).map((value) => ({ value, label: names[value] }))}
        value={form}
        onChange={(value) => setForm(value as Form)}
      />
      <Text size="sm" c="dimmed">
        {hints[form]}
      </Text>
      <CopyBlock text={texts[form] ?? ''} label={`Copy ${names[form]}`} />
    </Stack>
  );
}
