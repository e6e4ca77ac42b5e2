import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import path from 'node:path';
import { TOOL_DIR } from '../run/root.mjs';
import { runCommand } from '../run/run-command.mjs';

const PREFIX = 'packages-';

/** Without files that no test reads, most of the size. */
const UNPACK =
  'dpkg-deb --fsys-tarfile "$1" | tar --extract --directory="$2" --exclude=./usr/share/doc --exclude=./usr/share/javascript';

/** Folders with the files of fetched packages, as below `/`. */
export function fetchedRoots() {
  if (!existsSync(TOOL_DIR)) return [];
  return readdirSync(TOOL_DIR)
    .filter((name) => name.startsWith(PREFIX) && !name.includes('.'))
    .map((name) => path.join(TOOL_DIR, name));
}

/**
 * Downloads packages, with the dependencies that this machine lacks, and unpacks them into a new folder of
 * `fetchedRoots`. Nothing is installed, and no root is needed: apt keeps its state in a folder of its own.
 * @returns {Promise<boolean>} false if apt is absent, offline, or does not know any of them; the log says why
 */
export async function fetchPackages(names, logFile) {
  mkdirSync(TOOL_DIR, { recursive: true, mode: 0o711 });
  const draft = mkdtempSync(path.join(TOOL_DIR, `${PREFIX}draft.`));
  const run = async (command, args) => {
    const result = await runCommand(command, args, { cwd: draft });
    appendFileSync(logFile, `$ ${[command, ...args].join(' ')}\n${result.output}\n`);
    return result;
  };
  try {
    const apt = aptOptions(draft);
    if ((await run('apt-get', [...apt, 'update'])).code !== 0) return false;
    const records = (await run('apt-cache', [...apt, 'show', '--no-all-versions', ...names])).output.split(
      '\n',
    );
    const available = names.filter((name) => records.includes(`Package: ${name}`));
    if (available.length === 0) return false;
    // The status of dpkg may list a package whose program is gone.
    const flags = ['--yes', '--download-only', '--no-install-recommends', '--reinstall'];
    if ((await run('apt-get', [...apt, 'install', ...flags, ...available])).code !== 0) return false;
    const root = path.join(draft, 'root');
    mkdirSync(root);
    chmodSync(root, 0o755); // some servers run as `nobody`
    const archives = path.join(draft, 'archives');
    for (const name of readdirSync(archives).filter((file) => file.endsWith('.deb')))
      if ((await run('sh', ['-c', UNPACK, 'sh', path.join(archives, name), root])).code !== 0) return false;
    const target = path.join(
      TOOL_DIR,
      PREFIX + createHash('sha256').update(available.join()).digest('hex').slice(0, 12),
    );
    rmSync(target, { recursive: true, force: true }); // its programs did not run
    renameSync(root, target);
    return true;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** The machine's sources and installed packages, otherwise only files in `home`. */
function aptOptions(home) {
  for (const folder of ['lists/partial', 'archives/partial'])
    mkdirSync(path.join(home, folder), { recursive: true });
  const settings = {
    'Dir::State': home,
    'Dir::State::lists': path.join(home, 'lists'),
    'Dir::State::status': '/var/lib/dpkg/status',
    'Dir::Cache': home,
    'Dir::Cache::archives': path.join(home, 'archives'),
    'APT::Sandbox::User': 'root', // its usual user may not write here
    'Debug::NoLocking': 'true', // the locks of dpkg belong to root
    'Acquire::Retries': '3',
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
}
