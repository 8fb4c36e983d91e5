// The tables of the postcards in PostgreSQL, and the migrations of older ones.

import type { Sql, TransactionSql } from 'postgres'

/** Each step runs once, in order; the table `atlas_schema` counts the steps. Earlier builds use the tables meanwhile. */
const STEPS: readonly string[] = [
  `CREATE TABLE postcard_images (
     name text PRIMARY KEY,
     bytes integer NOT NULL,
     data bytea NOT NULL
   );
   -- Images are compressed already.
   ALTER TABLE postcard_images ALTER COLUMN data SET STORAGE EXTERNAL;
   CREATE TABLE postcards (
     id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     place text NOT NULL,
     name text NOT NULL,
     message text NOT NULL,
     sent_at timestamptz NOT NULL,
     author text NOT NULL,
     removed_at timestamptz,
     picture text REFERENCES postcard_images (name),
     picture_width integer,
     picture_height integer,
     picture_bytes integer
   );
   CREATE INDEX postcards_by_place ON postcards (place, id DESC);
   CREATE INDEX postcards_with_picture ON postcards (picture) INCLUDE (picture_bytes) WHERE picture IS NOT NULL;
   CREATE INDEX postcards_removed ON postcards (removed_at) WHERE removed_at IS NOT NULL;`,
]

/** Key of the lock under which tables are changed. */
export const TABLES_LOCK = 0x61746c01
const LIMIT = '10s'

/** Runs the missing steps. Of replicas that start together one runs them; the others wait and find no missing step. */
export async function prepareTables(sql: Sql): Promise<void> {
  // A role without the right to create tables is enough when there is nothing to do.
  if ((await countDone(sql)) >= STEPS.length) return
  await sql.begin(async (tx) => {
    await tx.unsafe(`SET LOCAL lock_timeout = '${LIMIT}'; SET LOCAL statement_timeout = '${LIMIT}'`)
    await tx`SELECT pg_advisory_xact_lock(${TABLES_LOCK})`
    // Before the count: in a transaction a session may take a table that another session has just made for missing,
    // unless a statement locks the table or its schema.
    await tx`CREATE TABLE IF NOT EXISTS atlas_schema (done integer NOT NULL)`
    const done = await readDone(tx)
    for (const step of STEPS.slice(done)) await tx.unsafe(step)
    await tx`DELETE FROM atlas_schema`
    await tx`INSERT INTO atlas_schema (done) VALUES (${Math.max(done, STEPS.length)})`
  })
}

async function countDone(sql: Sql): Promise<number> {
  const [found] = await sql`SELECT to_regclass('atlas_schema') IS NOT NULL AS is_there`
  return found?.is_there === true ? readDone(sql) : 0
}

async function readDone(sql: Sql | TransactionSql): Promise<number> {
  const [row] = await sql`SELECT done FROM atlas_schema`
  return Number(row?.done ?? 0)
}
