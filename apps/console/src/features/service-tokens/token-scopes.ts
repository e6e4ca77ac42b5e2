/** What a service token can be good for, in words. */
export const TOKEN_SCOPES = [
  { value: 'decide', label: 'Ask for decisions' },
  { value: 'admin', label: 'Change everything through GraphQL' },
] as const;
