// lib/database.ts
import postgres from 'postgres'

const url = process.env.DATABASE_URL ?? ''
const limits = { max: 5, idle_timeout: 20, connect_timeout: 5 }

/** For data functions: PostgreSQL refuses to write through it. */
export const reader = postgres(url, {
  ...limits,
  connection: { default_transaction_read_only: true, statement_timeout: 5000 },
})

/** For actions and API handlers. */
export const writer = postgres(url, limits)
