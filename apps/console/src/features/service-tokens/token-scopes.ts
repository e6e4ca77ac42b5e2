/** What a service token can be good for: names of sets of permissions, with the text that says what each is for. */
export const TOKEN_SCOPES = [
  { value: 'decide', label: 'decide' },
  { value: 'reset', label: 'resetScope' },
  { value: 'read', label: 'read' },
  { value: 'policy', label: 'policy' },
  { value: 'config', label: 'configScope' },
  { value: 'tenants', label: 'tenantsScope' },
  { value: 'billing', label: 'billing' },
  { value: 'admin', label: 'admin' },
] as const;
