/** What a run's shared services tell every test; read it through the functions of this package. */
export interface TestServices {
  postgresUrl: string;
  /** Has all migrations and no rows; nobody may connect to it, or copying it fails. */
  templateDatabase: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    testServices: TestServices;
  }
}
