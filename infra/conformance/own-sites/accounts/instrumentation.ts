// instrumentation.ts
export async function register() {
  const { migrate } = await import('./lib/database.ts')
  await migrate()
}
