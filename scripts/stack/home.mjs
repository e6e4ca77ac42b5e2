import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { takeLock } from '../run/file-lock.mjs';
import { HOME } from '../run/root.mjs';
import { StepError } from '../run/steps.mjs';

/** Writes JSON that only the owner can read; readers see the old content or the new one, never half. */
export function writePrivateJson(file, value) {
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

/** The content of a JSON file; undefined when there is no such file. */
export function readJson(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

/** The files of one running copy. */
export const FILES = {
  lock: path.join(HOME, 'start.lock'),
  secrets: path.join(HOME, 'secrets.json'),
  /** Read and completed by the control plane's setup; kept, because tokens are shown once and stored as hashes. */
  setup: path.join(HOME, 'setup.json'),
  /** Exists while the copy runs. */
  dev: path.join(HOME, 'dev.json'),
  postgres: path.join(HOME, 'postgres'),
  redis: path.join(HOME, 'redis'),
  'control-plane': path.join(HOME, 'control-plane'),
  /** Also where it keeps the last policy. */
  'decision-api': path.join(HOME, 'decision-api'),
  /** Of Vite's server, in watch mode. */
  console: path.join(HOME, 'console'),
  /** Compiled code of the apps, which start faster with it. */
  compileCache: path.join(HOME, 'compile-cache'),
  logs: path.join(HOME, 'logs'),
};

/**
 * Makes this process the only one that uses the folder.
 * @throws StepError when another copy does
 */
export function openHome() {
  // Postgres may have to pass through as another user; nobody else may look around.
  mkdirSync(HOME, { recursive: true, mode: 0o711 });
  mkdirSync(FILES.logs, { recursive: true });
  const lock = takeLock(FILES.lock);
  if ('release' in lock) return lock;
  throw new StepError(`Tollgate already runs in ${HOME} (process ${lock.holder}).`, {
    advice: `stop that one with Ctrl-C or kill ${lock.holder}, or start a second copy with its own folder: TOLLGATE_HOME=.tollgate-2 npm start`,
  });
}

/** The secrets of this folder, made on the first start. */
export function loadSecrets() {
  const known = readJson(FILES.secrets);
  if (known === undefined && (existsSync(FILES.setup) || existsSync(FILES.postgres))) {
    throw new StepError(`${FILES.secrets} is missing, but the data that it opens is there.`, {
      advice: `put the file back, or delete ${HOME} to begin again with an empty database.`,
    });
  }
  const secrets = completeSecrets(known);
  writePrivateJson(FILES.secrets, secrets);
  return secrets;
}

/** Adds the secrets that an earlier version did not have; all of them for a new folder. Known ones stay as they are. */
export function completeSecrets(known) {
  const sessionSecret = known?.sessionSecret ?? randomSecret(32);
  // Earlier versions encrypted with the session secret, so it stays as a key for decryption.
  const encryptionSecrets = `a:${randomSecret(32)}${known === undefined ? '' : `,session:${sessionSecret}`}`;
  return {
    admin: { email: 'admin@tollgate.local', password: randomSecret(15) },
    sessionSecret,
    encryptionSecrets,
    auditKey: randomSecret(32),
    tokenPepper: randomSecret(32),
    policyKey: newPolicyKey(),
    postgresPassword: randomSecret(24),
    databasePassword: randomSecret(24),
    databaseScopeSecret: randomSecret(32),
    ...known,
  };
}

/** The pair of keys that policy is sealed and checked with. */
function newPolicyKey() {
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return { private: d, public: x };
}

function randomSecret(bytes) {
  return randomBytes(bytes).toString('base64url');
}
