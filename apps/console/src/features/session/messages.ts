export const sessionMessages = {
  accountMenu: {
    notSignedOut: 'Not signed out',
    signOut: 'Sign out',
  },
  signInForm: {
    email: 'Email',
    password: 'Password',
    signIn: 'Sign in',
  },
} as const;
