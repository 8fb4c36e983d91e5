// The client of Prisma without a native engine, on a file of SQLite in the folder of the site.

import { PrismaLibSql } from '@prisma/adapter-libsql'
import { PrismaClient } from '../generated/client'

// The process may load this module more than once.
const shared = globalThis as { database?: Promise<PrismaClient> }

export function openDatabase(): Promise<PrismaClient> {
  shared.database ??= create()
  return shared.database
}

async function create(): Promise<PrismaClient> {
  const client = new PrismaClient({ adapter: new PrismaLibSql({ url: process.env.DATABASE_URL ?? '' }) })
  await client.$executeRawUnsafe(
    'CREATE TABLE IF NOT EXISTS "Note" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "text" TEXT NOT NULL UNIQUE)',
  )
  return client
}
