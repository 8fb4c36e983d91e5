// lib/database.ts
import postgres from 'postgres'

const LIMITS = { max: 5, idle_timeout: 20, connect_timeout: 5 }

/** For data functions: PostgreSQL refuses to write, and ends a query before the page's time is over. */
export const reader = postgres(process.env.DATABASE_URL ?? '', {
  ...LIMITS,
  connection: { default_transaction_read_only: true, statement_timeout: 5000 },
})

/** For actions and API handlers. */
export const writer = postgres(process.env.DATABASE_URL ?? '', LIMITS)
