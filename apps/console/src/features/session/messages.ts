export const sessionMessages = {
  accountMenu: {
    notSignedOut: 'Not signed out',
    security: 'Account security',
    signOut: 'Sign out',
  },
  signInForm: {
    email: 'Email',
    password: 'Password',
    signIn: 'Sign in',
  },
} as const;
