// lib/schema.ts
import { sql } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

const now = sql`(unixepoch() * 1000)`
const time = () => integer({ mode: 'timestamp_ms' })
const times = {
  createdAt: time().notNull().default(now),
  updatedAt: time().notNull().default(now),
}

export const user = sqliteTable('user', {
  id: text().primaryKey(),
  name: text().notNull(),
  email: text().notNull().unique(),
  emailVerified: integer({ mode: 'boolean' }).notNull().default(false),
  image: text(),
  ...times,
})

const userId = () =>
  text()
    .notNull()
    .references(() => user.id, { onDelete: 'cascade' })

export const session = sqliteTable('session', {
  id: text().primaryKey(),
  userId: userId(),
  token: text().notNull().unique(),
  expiresAt: time().notNull(),
  ipAddress: text(),
  userAgent: text(),
  ...times,
})

export const account = sqliteTable('account', {
  id: text().primaryKey(),
  userId: userId(),
  accountId: text().notNull(),
  providerId: text().notNull(),
  accessToken: text(),
  accessTokenExpiresAt: time(),
  refreshToken: text(),
  refreshTokenExpiresAt: time(),
  idToken: text(),
  scope: text(),
  password: text(),
  ...times,
})

export const verification = sqliteTable('verification', {
  id: text().primaryKey(),
  identifier: text().notNull(),
  value: text().notNull(),
  expiresAt: time().notNull(),
  ...times,
})

/** A table of the site's own. */
export const note = sqliteTable('note', {
  id: integer().primaryKey(),
  userId: userId(),
  text: text().notNull(),
})
