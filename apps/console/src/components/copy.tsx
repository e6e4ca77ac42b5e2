import {
  ActionIcon,
  Alert,
  Button,
  CopyButton,
  Group,
  Modal,
  SegmentedControl,
  Stack,
  Text,
  Tooltip,
  UnstyledButton,
} from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconCode, IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import { cliText, curlText, graphqlText, type MutationCall, yamlText } from '../lib/mutation-text.js';
import classes from './copy.module.css';

/** Text with a copy button: a command or a token. */
export function CopyBlock({ text, label }: { text: string; label: string }) {
  return (
    <div className={classes.block}>
      <pre className={classes.code}>{text}</pre>
      <CopyButton value={text} timeout={2_000}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? 'Copied' : label}>
            <ActionIcon className={classes.copy} onClick={copy} aria-label={copied ? 'Copied' : label}>
              {copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </div>
  );
}

export interface CopyAsProps {
  /** The mutation with the current form values. */
  call: MutationCall;
  /** The change as part of a configuration file, if it can be in one. */
  config?: object | undefined;
}

type Form = 'curl' | 'graphql' | 'yaml' | 'cli';

/** Copies the mutation of a form as cURL, GraphQL, YAML or CLI. */
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

interface SecretModalProps {
  title: string;
  /** Describes the secret and warns that it is shown once. */
  hint: string;
  /** Missing only if the server's response lacks it. */
  secret: string | null | undefined;
  copyLabel: string;
  doneLabel: string;
  onClose: () => void;
}

/** A secret that is shown once; closes only after confirmation that it is stored. */
export function SecretModal({ title, hint, secret, copyLabel, doneLabel, onClose }: SecretModalProps) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="sm">
        <Alert color="ochre" icon={<IconAlertTriangle size={18} aria-hidden />}>
          {hint}
        </Alert>
        {secret ? (
          <CopyBlock text={secret} label={copyLabel} />
        ) : (
          <Text size="sm">
            It was created, but the response does not contain it. Revoke it and create another.
          </Text>
        )}
        <Group justify="flex-end">
          <Button size="sm" onClick={onClose}>
            {doneLabel}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
