// The database of the postcards: PostgreSQL at DATABASE_URL, or one SQLite file. Every wait has a limit.

import { readFile } from 'node:fs/promises'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import { Pool } from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'
import { prepareTables, type Tables } from './tables.ts'

/** A writer waits this long for a writer of another process. */
const BUSY_MS = 3000
/** Connections of each replica to PostgreSQL. Each lives for a minute at most, so that a frozen one is replaced. */
const POOL = { max: 5, connectionTimeoutMillis: 5000, idleTimeoutMillis: 60_000, maxLifetimeSeconds: 60 }
/** The server ends a statement earlier than this process gives it up. */
const LIMITS = {
  lock_timeout: 3000,
  statement_timeout: 5000,
  idle_in_transaction_session_timeout: 10_000,
  query_timeout: 15_000,
}

/** Opens (and creates) a database file. */
export async function openSqlite(file: string): Promise<Kysely<Tables>> {
  const sqlite = new DatabaseSync(file, { timeout: BUSY_MS })
  sqlite.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  const dialect = new SqliteDialect({
    database: {
      prepare(text) {
        const statement = sqlite.prepare(text)
        const values = (given: readonly unknown[]) => given as SQLInputValue[]
        return {
          reader: statement.columns().length > 0,
          all: (given) => statement.all(...values(given)),
          run: (given) => statement.run(...values(given)),
          iterate: (given) => statement.iterate(...values(given)),
        }
      },
      close: () => sqlite.close(),
    },
  })
  return prepared(new Kysely<Tables>({ dialect }), false)
}

/**
 * Connects. `passwordFile` has the password in place of the address; it is read for each connection, so that a new
 * password needs no restart.
 */
export async function openPostgres(url: string, passwordFile?: string): Promise<Kysely<Tables>> {
  // SECURITY: errors of parsers contain the whole address, with the password.
  if (!/^postgres(ql)?:/.test(url) || !URL.canParse(url))
    throw new Error('DATABASE_URL must be a URL as postgres://user@host:5432/database')
  const pool = new Pool({
    ...parseIntoClientConfig(url),
    ...POOL,
    ...LIMITS,
    application_name: 'atlas',
    keepAlive: true,
    ...(passwordFile && { password: async () => (await readFile(passwordFile, 'utf8')).trim() }),
  })
  // The next use of a connection that is gone opens another one.
  pool.on('error', () => {})
  return prepared(new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }), true)
}

async function prepared(database: Kysely<Tables>, isPostgres: boolean): Promise<Kysely<Tables>> {
  try {
    await prepareTables(database, isPostgres)
    return database
  } catch (error) {
    await database.destroy()
    throw error
  }
}
