import { Button, ColorInput, FileInput, Group, Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import { findAccentProblem, linkColors } from '@tollgate/contracts/brand';
import { useState } from 'react';
import { CopyAs } from '../../components/copy.js';
import { Form } from '../../components/forms.js';
import { Hint, Panel, Problem } from '../../components/page.js';
import { decimals, TypedField } from '../../components/typed-field.js';
import { useFields } from '../../lib/form.js';
import { notifyDone } from '../../lib/graphql-request.js';
import { useMutationDialog } from '../../lib/mutation.js';
import { usePermission } from '../../lib/viewer.js';
import { InstallationUpdateDocument, SETTINGS, type Settings } from './api.js';
import classes from './installation.module.css';
import { WidgetSnippetButton } from './widget-snippet.js';

const FIELDS = [
  ...['productName', 'accent', 'logo', 'companyName', 'address', 'taxId', 'registration', 'contact'],
  ...['invoiceNote', 'taxLabel', 'taxBasisPoints', 'embedOrigins'],
];

/** Company details, invoices, brand and the origins of the usage widget. */
export function SettingsForm({ settings }: { settings: Settings }) {
  const { allowed, why } = usePermission('installation:write');
  const { errors, dialog } = useMutationDialog(InstallationUpdateDocument, FIELDS, SETTINGS);
  const [logo, setLogo] = useState<string>();
  const { version, logo: currentLogo, accent, taxBasisPoints, ...texts } = settings;
  const { values, bind } = useFields(errors, {
    ...texts,
    accent: accent ?? '',
    taxPercent: taxBasisPoints / 100,
  });
  const { taxPercent, ...rest } = values;
  const input = {
    ...rest,
    taxBasisPoints: Math.round(taxPercent * 100),
    expectedVersion: version,
    ...(logo === undefined ? {} : { logo }),
  };
  const save = dialog(input, () => {
    setLogo(undefined);
    notifyDone('Saved. Pages show the new brand after a reload.');
  });
  const accentProblem = values.accent === '' ? undefined : findAccentProblem(values.accent);
  const submit = () => {
    if (accentProblem === undefined) save.onSubmit();
  };
  const readOnly = !allowed;
  const shownLogo = logo === undefined ? currentLogo : logo === '' ? null : `data:image/png;base64,${logo}`;
  return (
    <Form onSubmit={submit}>
      <Stack gap="md">
        <Panel
          title="Brand"
          note="Shown on the portal, sign-in, checkout, mails, invoices and the usage widget."
        >
          <div className={classes.columns}>
            <Stack gap="sm">
              <TextInput label="Product name" required readOnly={readOnly} {...bind('productName')} />
              <ColorInput
                label="Accent color"
                description="Buttons and links. Empty: the default."
                placeholder="#0b6b64"
                format="hex"
                readOnly={readOnly}
                eyeDropperButtonProps={{ 'aria-label': 'Pick a color from the screen' }}
                withPreview={values.accent !== ''}
                {...bind('accent')}
                error={accentProblem ?? errors.accent}
              />
              <Group align="flex-end" gap="xs" wrap="nowrap">
                <FileInput
                  style={{ flex: 1, minWidth: 0 }}
                  label="Logo"
                  description="PNG, at most 32 KB and 512 × 512 pixels."
                  accept="image/png"
                  placeholder="Choose a file"
                  disabled={readOnly}
                  onChange={(file) => void readBase64(file).then(setLogo)}
                  error={errors.logo}
                />
                {shownLogo !== null && !readOnly && (
                  <Button variant="default" size="sm" onClick={() => setLogo('')}>
                    Remove logo
                  </Button>
                )}
              </Group>
            </Stack>
            <Preview
              name={values.productName}
              logo={shownLogo}
              accent={accentProblem === undefined && values.accent !== '' ? values.accent : '#0b6b64'}
            />
          </div>
        </Panel>
        <Panel title="Company" note="Printed on invoices and receipts, and at the end of mails.">
          <div className={classes.columns}>
            <Stack gap="sm">
              <TextInput label="Company name" readOnly={readOnly} {...bind('companyName')} />
              <Textarea label="Address" minRows={3} maxRows={6} readOnly={readOnly} {...bind('address')} />
            </Stack>
            <Stack gap="sm">
              <TextInput label="Tax ID" placeholder="DE123456789" readOnly={readOnly} {...bind('taxId')} />
              <TextInput
                label="Registration"
                placeholder="HRB 12345 B, Berlin"
                readOnly={readOnly}
                {...bind('registration')}
              />
              <TextInput
                label="Contact"
                placeholder="billing@example.com"
                readOnly={readOnly}
                {...bind('contact')}
              />
            </Stack>
          </div>
        </Panel>
        <Panel
          title="Tax and invoices"
          note="Prices include the tax, so the total does not change. Tollgate does not compute tax by country."
        >
          <div className={classes.columns}>
            <Group gap="sm" align="flex-start" grow>
              <TextInput label="Tax name" placeholder="VAT" readOnly={readOnly} {...bind('taxLabel')} />
              <TypedField
                label="Tax rate (%)"
                description="0: no tax line."
                inputWrapperOrder={['label', 'input', 'description', 'error']}
                unit={decimals(2, 0, 50)}
                readOnly={readOnly}
                {...bind('taxPercent')}
                error={errors.taxBasisPoints}
              />
            </Group>
            <Textarea
              label="Note on invoices"
              placeholder="Reverse charge: the recipient owes the tax."
              maxRows={5}
              readOnly={readOnly}
              {...bind('invoiceNote')}
            />
          </div>
        </Panel>
        <Panel
          title="Usage widget"
          note="Only pages of these origins may embed the widget."
          actions={<WidgetSnippetButton />}
        >
          <TagsInput
            label="Allowed origins"
            placeholder={values.embedOrigins.length === 0 ? 'https://dashboard.example.com' : ''}
            maxTags={20}
            readOnly={readOnly}
            {...bind('embedOrigins')}
          />
        </Panel>
        <Problem>{save.problem}</Problem>
        <Group justify="flex-end">
          {allowed ? (
            <>
              {save.copy && <CopyAs {...save.copy} />}
              <Button type="submit" size="sm" loading={save.pending} disabled={accentProblem !== undefined}>
                Save changes
              </Button>
            </>
          ) : (
            <Hint>{why}</Hint>
          )}
        </Group>
      </Stack>
    </Form>
  );
}

/** The brand in both themes. */
function Preview({ name, logo, accent }: { name: string; logo: string | null; accent: string }) {
  const links = linkColors(accent);
  return (
    <div className={classes.preview} role="img" aria-label="Preview of the brand in both themes">
      {(['light', 'dark'] as const).map((scheme) => (
        <div key={scheme} data-scheme={scheme} aria-hidden="true">
          <span className={classes.previewName}>
            {logo !== null && <img src={logo} width={24} height={24} alt="" />}
            {name}
          </span>
          <span style={{ color: links[scheme] }}>View invoices</span>
          <span className={classes.previewButton} style={{ background: accent }}>
            Buy more
          </span>
        </div>
      ))}
    </div>
  );
}

async function readBase64(file: File | null): Promise<string | undefined> {
  if (file === null) return undefined;
  const bytes = new Uint8Array(await file.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
