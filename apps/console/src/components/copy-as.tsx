import { Modal, SegmentedControl, Stack, Text, UnstyledButton } from '@mantine/core';
import { IconCode } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
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
  const t = useTranslations('common');
  const [opened, setOpened] = useState(false);
  return (
    <>
      <UnstyledButton className={classes.button} onClick={() => setOpened(true)}>
        <IconCode size={15} stroke={1.8} aria-hidden /> {t('copyAs')}
      </UnstyledButton>
      <Modal opened={opened} onClose={() => setOpened(false)} title={t('copyAs')} size="lg">
        {opened && <Texts call={call} config={config} />}
      </Modal>
    </>
  );
}

function Texts({ call, config }: CopyAsProps) {
  const t = useTranslations('common');
  const [form, setForm] = useState<Form>('curl');
  const texts: Partial<Record<Form, string>> = {
    curl: curlText(call, window.location.origin),
    graphql: graphqlText(call),
    ...(config ? { yaml: yamlText(config), cli: cliText(config) } : {}),
  };
  const names: Record<Form, string> = { curl: 'cURL', graphql: 'GraphQL', yaml: 'YAML', cli: 'CLI' };
  const hints: Record<Form, string> = {
    curl: t('copyCurlHint'),
    graphql: t('copyGraphqlHint'),
    yaml: t('copyYamlHint'),
    cli: t('copyCliHint'),
  };
  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label={t('copyForm')}
        data={(Object.keys(texts) as Form[]).map((value) => ({ value, label: names[value] }))}
        value={form}
        onChange={(value) => setForm(value as Form)}
      />
      <Text size="sm" c="dimmed">
        {hints[form]}
      </Text>
      <CopyBlock text={texts[form] ?? ''} label={t('copyText', { form: names[form] })} />
    </Stack>
  );
}
