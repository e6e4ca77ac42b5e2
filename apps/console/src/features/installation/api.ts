import type { InstallationSettingsQuery } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { fieldQuery } from '../../lib/graphql-request.js';

export { InstallationUpdateDocument, UsageWidgetTokenCreateDocument } from '../../generated/graphql.js';

const InstallationSettingsDocument = graphql(`
  query InstallationSettings {
    installationSettings {
      productName accent logo companyName address taxId registration contact invoiceNote
      taxLabel taxBasisPoints embedOrigins version
    }
  }
`);

export type Settings = InstallationSettingsQuery['installationSettings'];

export const SETTINGS = ['installation-settings'] as const;

export const settingsQuery = fieldQuery(SETTINGS, InstallationSettingsDocument, {});
