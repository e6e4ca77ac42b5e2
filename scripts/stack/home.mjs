import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { takeLock } from '../run/file-lock.mjs';
import { HOME } from '../run/root.mjs';
import { StepError } from '../run/steps.mjs';

/** Readable by the owner only, and replaced atomically. */
export function writePrivateJson(file, value) {
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

export function readJson(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

export const FILES = {
  lock: path.join(HOME, 'start.lock'),
  secrets: path.join(HOME, 'secrets.json'),
  /** Completed by the setup; kept, because tokens are stored as hashes. */
  setup: path.join(HOME, 'setup.json'),
  /** Exists while the instance runs. */
  dev: path.join(HOME, 'dev.json'),
  postgres: path.join(HOME, 'postgres'),
  redis: path.join(HOME, 'redis'),
  'control-plane': path.join(HOME, 'control-plane'),
  /** Also the folder of its last policy. */
  'decision-api': path.join(HOME, 'decision-api'),
  console: path.join(HOME, 'console'),
  /** Makes the apps start faster. */
  compileCache: path.join(HOME, 'compile-cache'),
  logs: path.join(HOME, 'logs'),
};

/** @throws StepError when another process uses the folder */
export function openHome() {
  // Postgres may need to pass through as another user.
  mkdirSync(HOME, { recursive: true, mode: 0o711 });
  mkdirSync(FILES.logs, { recursive: true });
  const lock = takeLock(FILES.lock);
  if ('release' in lock) return lock;
  throw new StepError(`Tollgate already runs in ${HOME} (process ${lock.holder}).`, {
    advice: `stop that one with Ctrl-C or kill ${lock.holder}, or start a second copy with its own folder: TOLLGATE_HOME=.tollgate-2 npm start`,
  });
}

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

/** Adds missing secrets; known ones stay. */
export function completeSecrets(known) {
  const sessionSecret = known?.sessionSecret ?? randomSecret(32);
  // Earlier versions encrypted with the session secret.
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

function newPolicyKey() {
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return { private: d, public: x };
}

function randomSecret(bytes) {
  return randomBytes(bytes).toString('base64url');
}
