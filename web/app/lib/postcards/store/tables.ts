// The tables of the postcards.

import { type Generated, type Kysely, sql } from 'kysely'

export interface Tables {
  cards: {
    id: Generated<number>
    place: string
    name: string
    message: string
    /** Hash of the writer's token. */
    author: string
    /** Milliseconds since the epoch. */
    sent_at: number
    removed_at: number | null
    /** Name of the image. */
    image: string | null
    image_width: number | null
    image_height: number | null
    image_bytes: number | null
  }
  card_images: { card: number; bytes: Uint8Array }
}

/** Key of PostgreSQL's lock for processes that start together. */
const TABLES_LOCK = 0x61746c01

/** Creates what is missing. A role that may create nothing opens tables that are there. */
export async function prepareTables(database: Kysely<Tables>, isPostgres: boolean): Promise<void> {
  const look = database.selectFrom('card_images').select('card').limit(0).execute()
  const areThere = await look.then(
    () => true,
    () => false,
  )
  if (areThere) return
  await database.transaction().execute(async (transaction) => {
    if (isPostgres) await sql`select pg_advisory_xact_lock(${TABLES_LOCK})`.execute(transaction)
    await transaction.schema
      .createTable('cards')
      .ifNotExists()
      // SQLite numbers a primary key of integers itself.
      .addColumn('id', 'integer', (id) =>
        (isPostgres ? id.generatedAlwaysAsIdentity() : id.autoIncrement()).primaryKey(),
      )
      .addColumn('place', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('message', 'text', (column) => column.notNull())
      .addColumn('author', 'text', (column) => column.notNull())
      .addColumn('sent_at', 'double precision', (column) => column.notNull())
      .addColumn('removed_at', 'double precision')
      .addColumn('image', 'text', (column) => column.unique())
      .addColumn('image_width', 'integer')
      .addColumn('image_height', 'integer')
      .addColumn('image_bytes', 'integer')
      .execute()
    await transaction.schema.createIndex('cards_by_place').ifNotExists().on('cards').columns(['place', 'id']).execute()
    await transaction.schema.createIndex('cards_by_removal').ifNotExists().on('cards').column('removed_at').execute()
    await transaction.schema
      .createTable('card_images')
      .ifNotExists()
      .addColumn('card', 'integer', (card) => card.primaryKey().references('cards.id').onDelete('cascade'))
      .addColumn('bytes', isPostgres ? 'bytea' : 'blob', (column) => column.notNull())
      .execute()
  })
}
