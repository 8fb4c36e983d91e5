// lib/database.ts
import { readdir, readFile } from 'node:fs/promises'
import { createClient } from '@libsql/client'
import { drizzle } from 'drizzle-orm/libsql'
import * as schema from './schema.ts'

const url = process.env.DATABASE_URL ?? `file:${process.env.DATA_DIR}/site.db`
// A writer waits for the writers of other processes, at most five seconds.
const client = createClient({ url, timeout: 5000 })

export const database = drizzle(client, { schema })

/** Applies the files of drizzle/ that the database does not have yet. One process at a time: the others wait, and find nothing to do. */
export async function migrate(): Promise<void> {
  if (url.startsWith('file:')) await client.execute('pragma journal_mode = wal')
  const writing = await client.transaction('write')
  try {
    await writing.execute('create table if not exists migration (name text)')
    const { rows } = await writing.execute('select name from migration')
    const applied = new Set(rows.map(({ name }) => name))
    for (const name of (await readdir('drizzle')).sort()) {
      if (!name.endsWith('.sql') || applied.has(name)) continue
      await writing.executeMultiple(await readFile(`drizzle/${name}`, 'utf8'))
      await writing.execute({
        sql: 'insert into migration values (?)',
        args: [name],
      })
    }
    await writing.commit()
  } finally {
    writing.close()
  }
}
