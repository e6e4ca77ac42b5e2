/** Texts that any part of the console may need. */
export const commonMessages = {
  impact:
    '{tenants, plural, one {# tenant} other {# tenants}} affected: {loosened, number} loosened, {tightened, number} tightened.',
  impactNone: 'No tenant’s limits change.',
  impactUnknown: 'Finding out whom this reaches…',
  reason: 'Reason',
  reasonHint: 'Kept in the audit trail.',
  reasonOptional: 'Optional. It is kept in the audit trail.',
  cancel: 'Cancel',
  close: 'Close',
  showMore: 'Show more',
  showOlder: 'Show older',
  actions: 'Actions',
  copyAs: 'Copy as…',
  copyForm: 'Form',
  copyText: 'Copy {form}',
  copyCurlHint: 'One command for a shell; put a service token into TOLLGATE_TOKEN first.',
  copyGraphqlHint: 'The mutation that this form sends, with its variables.',
  copyYamlHint: 'As a configuration file says it. What it names is kept by that file from then on.',
  copyCliHint: 'Writes the file, shows the difference, applies it.',
  managedInGit: 'Managed in git',
  managedInGitHint:
    'A configuration file keeps this. Change it there and run “tollgate config apply”; here it can only be looked at.',
  copyBlock: {
    copied: 'Copied',
  },
  failure: {
    request: 'Request',
    tryAgain: 'Try again',
  },
  gauge: {
    inUse: '<strong>{count}</strong> in use',
    used: '<strong>{count}</strong> used',
    left: '{count} left',
    noneInUse: 'nothing in use',
    noneUsed: 'nothing used',
    free: 'free in {left} ({when})',
    resets: 'resets in {left} ({when})',
  },
  nameAndKey: {
    name: 'Name',
    key: 'Key',
  },
} as const;

/** Texts of the review of a change. */
export const impactMessages = {
  tenants: '{count, plural, one {tenant} other {tenants}}',
  loosened: 'loosened',
  tightened: 'tightened',
  nobody: 'No tenant is reached.',
  nothing: 'No limit that is in force changes.',
  affected: 'Whom it reaches',
  andMore: 'and {count, plural, one {# more} other {# more}}',
  looser: 'loosened',
  tighter: 'tightened',
  mixed: 'both ways',
  overrunsTitle:
    '{count, plural, one {# tenant used} other {# tenants used}} more lately than this lets pass',
  overrunsTitleMany: '{count, number} or more tenants used more lately than this lets pass',
  overrun: 'passed {peak} at its peak; {limit} would',
  overrunsUnknown: 'Who used more lately could not be found out in time.',
  finding: 'Finding out whom this reaches…',
  cancel: 'Cancel',
  refused: 'Nothing was changed',
  warnings: 'Worth a look',
  apply: 'Apply',
  applyTo: '{count, plural, one {Apply to # tenant} other {Apply to # tenants}}',
} as const;
