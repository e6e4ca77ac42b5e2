import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { ROOT } from '../../scripts/run/root.mjs';

// pnpm test:upgrade: the control plane's tests of the last release, on the migrations of this checkout. During an upgrade, the
// processes of that release run on this schema.

const PREVIOUS = path.join(ROOT, '.tollgate/previous-release');
const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });

const [tag] = git('tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-v:refname').split('\n');
if (!tag) {
  console.log('There is no release yet, so no schema that this one must be compatible with.');
  process.exit(0);
}
git('worktree', 'add', '--force', '--detach', PREVIOUS, tag);
try {
  execFileSync(
    'npm',
    ['test', '--', '--project', 'control-plane', '--project', 'dated', ...process.argv.slice(2)],
    {
      cwd: PREVIOUS,
      stdio: 'inherit',
      env: { ...process.env, TEST_MIGRATIONS: path.join(ROOT, 'prisma/migrations') },
    },
  );
} catch {
  console.error(`The schema of this checkout breaks ${tag}: keep what it uses (docs/operate/upgrade.md).`);
  process.exitCode = 1;
} finally {
  git('worktree', 'remove', '--force', PREVIOUS);
}
