// Connections to PostgreSQL: every wait has a limit, and connections that are frozen are replaced.

import { readFile } from 'node:fs/promises'
import postgres, { type Sql } from 'postgres'
import { createTurns, type TurnLimits } from './turns.ts'

export interface DatabaseOptions extends Partial<TurnLimits> {
  /** File with the password, read for each connection: a new password needs no restart. In place of one in the URL. */
  passwordFile?: string
  /** Longest time of the work of one `run`. The server ends each statement earlier: a later end means that it is frozen. */
  workMs?: number
}

export interface Database {
  /** Runs the work, which uses one connection at a time: one `begin` or one statement after the other. */
  run<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Connections of each replica. */
const CONNECTIONS = 5
const CONNECT_TIMEOUT_SECONDS = 5
const IDLE_SECONDS = 60
/** Between two attempts to connect: short, so that an outage ends where the database's outage ends. */
const RECONNECT_SECONDS = 0.2
/** Limits that the server keeps, in ms. */
const SERVER_LIMITS = { statement_timeout: 5000, lock_timeout: 3000, idle_in_transaction_session_timeout: 10_000 }

/** Connects at the first use. */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const { running = CONNECTIONS, waiting = 200, waitMs = 5000, workMs = 15_000, passwordFile } = options
  const inTurn = createTurns({ running, waiting, waitMs })
  let pool = connect(url, running, passwordFile)
  let lastEnd = 0

  /** Closes the connections of a pool, without waiting for responses, and begins a new pool. */
  const replace = (frozen: Sql): void => {
    if (pool === frozen) pool = connect(url, running, passwordFile)
    frozen.end({ timeout: 0 }).catch(() => {
      // Its connections are gone in either case.
    })
  }

  return {
    run: (work) =>
      inTurn(async () => {
        const used = pool
        const begun = performance.now()
        let timer: NodeJS.Timeout | undefined
        const late = new Promise<never>((_resolve, reject) => {
          timer = setTimeout(() => {
            // Where other work ends, one connection is slow: the others continue.
            if (lastEnd < begun) replace(used)
            reject(new Error(`the database sent no response for ${workMs} ms`))
          }, workMs)
        })
        try {
          const result = await Promise.race([work(used), late])
          lastEnd = performance.now()
          return result
        } finally {
          clearTimeout(timer)
        }
      }),
    close: () => pool.end({ timeout: CONNECT_TIMEOUT_SECONDS }),
  }
}

function connect(url: string, max: number, passwordFile: string | undefined): Sql {
  // SECURITY: errors of the URL's parser contain the whole URL, with the password.
  const rule = 'must be a URL as postgres://user@host:5432/database'
  if (!/^postgres(ql)?:\/\//.test(url)) throw new Error(`DATABASE_URL ${rule}`)
  try {
    return postgres(url, {
      max,
      connect_timeout: CONNECT_TIMEOUT_SECONDS,
      idle_timeout: IDLE_SECONDS,
      backoff: () => RECONNECT_SECONDS,
      onnotice: () => {},
      connection: { application_name: 'atlas', ...SERVER_LIMITS },
      ...(passwordFile && { password: async () => (await readFile(passwordFile, 'utf8')).trim() }),
    })
  } catch {
    throw new Error(`DATABASE_URL ${rule}`)
  }
}
