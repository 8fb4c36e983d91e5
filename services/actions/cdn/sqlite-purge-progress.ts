// The progress of purges in a SQLite file below DATA_DIR, for a single machine.

import { join } from 'node:path'
import { openPrivateDatabase } from '@portico/shared/kit/store/sqlite.ts'
import type { PurgeProgress } from './plan-purge.ts'
import { LEASE_MS, type PurgeProgressStore } from './purge-progress.ts'

const SCHEMA = `
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS purges (
    only INTEGER PRIMARY KEY CHECK (only = 1), owner TEXT NOT NULL, held_until INTEGER NOT NULL,
    version TEXT, epoch TEXT, generation INTEGER
  );
  INSERT OR IGNORE INTO purges VALUES (1, '', 0, NULL, NULL, NULL);`

interface SqlitePurgeProgressDeps {
  dataDir: string
  owner: string
  now: () => number
}

/** The file is opened by the first call: a folder that cannot be written counts as an unavailable store. */
export function createSqlitePurgeProgress({ dataDir, owner, now }: SqlitePurgeProgressDeps): PurgeProgressStore {
  let opened: Statements | undefined
  const statements = () => {
    opened ??= openStatements(join(dataDir, 'cdn.sqlite'))
    return opened
  }
  return {
    async claim() {
      const { claim, read } = statements()
      const at = now()
      if (claim.run(owner, at + LEASE_MS, owner, at).changes === 0) return undefined
      // The schema gives the row these types.
      const row = read.get() as { [Name in keyof PurgeProgress]: PurgeProgress[Name] | null }
      return { progress: row.version === null ? undefined : ({ ...row } as PurgeProgress) }
    },
    async save({ version, epoch, generation }) {
      const { save } = statements()
      return save.run(now() + LEASE_MS, version, epoch, generation, owner).changes === 1
    },
    async release() {
      statements().release.run(owner)
    },
    close: () => opened?.database.close(),
  }
}

type Statements = ReturnType<typeof openStatements>

function openStatements(file: string) {
  const database = openPrivateDatabase(file)
  database.exec(SCHEMA)
  return {
    database,
    claim: database.prepare('UPDATE purges SET owner = ?, held_until = ? WHERE owner = ? OR held_until <= ?'),
    read: database.prepare('SELECT version, epoch, generation FROM purges'),
    save: database.prepare('UPDATE purges SET held_until = ?, version = ?, epoch = ?, generation = ? WHERE owner = ?'),
    release: database.prepare("UPDATE purges SET owner = '', held_until = 0 WHERE owner = ?"),
  }
}
