import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import * as z from 'zod';

const demoRequest = z.looseObject({
  tenant: z.string(),
  api: z.string(),
  operation: z.string(),
  subject: z.record(z.string(), z.string()),
  /** An API key of the tenant. */
  apiKey: z.string().optional(),
});

/** The file through which the starter and set-up talk: the admin goes in, tokens and the sign-in link come out. */
const setupStateSchema = z.looseObject({
  admin: z.looseObject({ email: z.email(), password: z.string().min(8).max(128) }),
  signInUrl: z.string().optional(),
  serviceToken: z.string().optional(),
  adminToken: z.string().optional(),
  demo: demoRequest.optional(),
});

export type SetupState = z.output<typeof setupStateSchema>;

/** @throws Error that names the file and the fields that are wrong, never their values. */
export function readSetupState(file: string): SetupState {
  const parsed = setupStateSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (parsed.success) return parsed.data;
  throw new Error(
    `${file} cannot be used: ${parsed.error.issues.map((issue) => issue.path.join('.')).join(', ')}`,
  );
}

/** Replaces the file in one step; only its owner may read it. */
export function writeSetupState(file: string, state: SetupState): void {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(temporary, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}
