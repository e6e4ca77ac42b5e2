/** What a service token can be good for: names of sets of permissions, with the text that says what each is for. */
export const TOKEN_SCOPES = [
  { value: 'decide', label: 'Request decisions' },
  { value: 'reset', label: 'Reset counters' },
  { value: 'read', label: 'Read all' },
  { value: 'policy', label: 'Manage policy' },
  { value: 'config', label: 'Read and apply configuration' },
  { value: 'tenants', label: 'Manage tenants' },
  { value: 'billing', label: 'Manage billing' },
  { value: 'admin', label: 'Full access through GraphQL' },
] as const;
