// Generations and marks in a SQLite file below DATA_DIR, for a single machine: every process opens the file.

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { openPrivateDatabase } from '../store/sqlite.ts'
import { type GenerationStore, MAX_MARKS, type Mark } from './generations.ts'

const SCHEMA = `
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS head (
    only INTEGER PRIMARY KEY CHECK (only = 1), epoch TEXT NOT NULL, generation INTEGER NOT NULL, floor INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS marks (
    kind TEXT NOT NULL, name TEXT NOT NULL, generation INTEGER NOT NULL, PRIMARY KEY (kind, name)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS marks_by_generation ON marks (generation);`

interface Head {
  epoch: string
  generation: number
  floor: number
}

/** The file is opened by the first call: a folder that cannot be written counts as an unavailable store. */
export function createSqliteGenerations({ dataDir, now }: { dataDir: string; now: () => number }): GenerationStore {
  let opened: Tables | undefined
  const tables = () => {
    opened ??= openTables(join(dataDir, 'marks.sqlite'))
    return opened
  }
  return {
    async read(since) {
      const { within, head, marksSince } = tables()
      return within('BEGIN', () => ({
        ...(head() ?? { epoch: '', generation: 0, floor: 0 }),
        marks: marksSince(since),
      }))
    },
    async raise({ paths, tags, everything = false }) {
      const { within, head, writeHead, mark, trim, removeAll } = tables()
      return within('BEGIN IMMEDIATE', () => {
        const known = head() ?? { epoch: randomUUID(), generation: 0, floor: 0 }
        const generation = Math.max(known.generation + 1, now())
        if (everything) removeAll()
        for (const path of paths) mark('path', path, generation)
        for (const tag of tags) mark('tag', tag, generation)
        const floor = everything ? generation : Math.max(known.floor, trim())
        writeHead({ ...known, generation, floor })
        return { epoch: known.epoch, generation }
      })
    },
    close: () => opened?.database.close(),
  }
}

type Tables = ReturnType<typeof openTables>

function openTables(file: string) {
  const database = openPrivateDatabase(file)
  database.exec(SCHEMA)
  const readHead = database.prepare('SELECT epoch, generation, floor FROM head')
  const replaceHead = database.prepare('INSERT OR REPLACE INTO head VALUES (1, ?, ?, ?)')
  const readMarks = database.prepare('SELECT kind, name, generation FROM marks WHERE generation > ?')
  const replaceMark = database.prepare('INSERT OR REPLACE INTO marks VALUES (?, ?, ?)')
  const clear = database.prepare('DELETE FROM marks')
  const findExcess = database.prepare('SELECT generation FROM marks ORDER BY generation DESC LIMIT 1 OFFSET ?')
  const removeUpTo = database.prepare('DELETE FROM marks WHERE generation <= ?')
  return {
    database,
    // The schema gives the rows these types.
    head: () => readHead.get() as unknown as Head | undefined,
    writeHead: ({ epoch, generation, floor }: Head) => replaceHead.run(epoch, generation, floor),
    marksSince: (since: number) => readMarks.all(since) as unknown as Mark[],
    mark: (kind: Mark['kind'], name: string, generation: number) => replaceMark.run(kind, name, generation),
    removeAll: () => clear.run(),
    /** Removes the oldest marks above the limit; returns the latest removed generation, 0 without one. */
    trim(): number {
      const excess = findExcess.get(MAX_MARKS) as { generation: number } | undefined
      if (excess) removeUpTo.run(excess.generation)
      return excess?.generation ?? 0
    },
    within<T>(begin: 'BEGIN' | 'BEGIN IMMEDIATE', work: () => T): T {
      database.exec(begin)
      try {
        const result = work()
        database.exec('COMMIT')
        return result
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      }
    },
  }
}
