import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse } from 'libpg-query';
import { ROOT } from '../run/root.mjs';

// Two versions run on one schema during an upgrade: a migration must not remove or narrow what the previous version uses
// (docs/operate/upgrade.md). Migrations of the first release and before are the baseline.

const FOLDER = 'prisma/migrations';
/** The release that no longer uses the part. */
const CONTRACT = /^-- contract: \d+\.\d+\.\d+$/m;
/** Objects that no version refers to by name. */
const REPLACEABLE = new Set(['OBJECT_INDEX', 'OBJECT_POLICY', 'OBJECT_TRIGGER', 'OBJECT_TABCONSTRAINT']);
const BREAKING_COMMANDS = {
  AT_DropColumn: () => 'drops a column',
  AT_AlterColumnType: () => 'changes the type of a column',
  AT_SetNotNull: () => 'sets a column to NOT NULL',
  AT_ColumnDefault: ({ def }) => def === undefined && 'drops a default',
  AT_AddColumn: ({ def }) => {
    const types = (def.ColumnDef.constraints ?? []).map(({ Constraint }) => Constraint.contype);
    const isFilled = types.some((type) => /DEFAULT|GENERATED|IDENTITY/.test(type));
    return types.includes('CONSTR_NOTNULL') && !isFilled && 'adds a NOT NULL column without a default';
  },
};
const BREAKING_STATEMENTS = {
  DropStmt: ({ removeType }) => !REPLACEABLE.has(removeType) && 'drops an object',
  RenameStmt: ({ renameType }) => !REPLACEABLE.has(renameType) && 'renames an object',
  AlterEnumStmt: ({ oldVal }) => oldVal !== undefined && 'renames a value of an enum',
  AlterTableStmt: ({ cmds }) =>
    cmds.map(({ AlterTableCmd }) => BREAKING_COMMANDS[AlterTableCmd.subtype]?.(AlterTableCmd)).find(Boolean),
};

/** Returns `problem: statement` for each statement that breaks the previous version. */
export async function findBreakingStatements(sql) {
  if (CONTRACT.test(sql)) return [];
  const bytes = Buffer.from(sql);
  const { stmts = [] } = await parse(sql);
  return stmts.flatMap(({ stmt, stmt_location: start = 0, stmt_len: length = bytes.length }) => {
    const [[kind, node]] = Object.entries(stmt);
    const problem = BREAKING_STATEMENTS[kind]?.(node);
    if (!problem) return [];
    const text = bytes.toString('utf8', start, start + length).replace(/^\s*--.*$/gm, '');
    return [`${problem}: ${text.trim().replaceAll(/\s+/g, ' ').slice(0, 120)}`];
  });
}

/** Names of migrations after the first tag `v*`; without a tag, none. */
function migrationsAfterFirstRelease() {
  const git = (...args) =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean);
  const [firstTag] = git('tag', '--list', 'v*', '--sort=v:refname');
  if (firstTag === undefined) return [];
  const baseline = new Set(
    git('ls-tree', '-d', '--name-only', firstTag, `${FOLDER}/`).map((file) => path.basename(file)),
  );
  const all = readdirSync(path.join(ROOT, FOLDER), { withFileTypes: true });
  return all.filter((entry) => entry.isDirectory() && !baseline.has(entry.name)).map(({ name }) => name);
}

async function main() {
  for (const name of migrationsAfterFirstRelease()) {
    const sql = readFileSync(path.join(ROOT, FOLDER, name, 'migration.sql'), 'utf8');
    for (const problem of await findBreakingStatements(sql)) {
      console.error(`${name} ${problem}`);
      process.exitCode = 1;
    }
  }
  if (process.exitCode === 1)
    console.error(
      'The previous version still uses these parts. Keep them, or write `-- contract: <version>` with the release that stopped using them.',
    );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
