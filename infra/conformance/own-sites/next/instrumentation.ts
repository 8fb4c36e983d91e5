import type { Instrumentation } from 'next'

/** What this process has seen: renderer and actions service have their own. */
const seen: string[] = []
Object.assign(globalThis, { seenByInstrumentation: seen })

export async function register() {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  await new Promise((done) => setTimeout(done, 10))
  seen.push('registered')
}

export const onRequestError: Instrumentation.onRequestError = (error, { path, method, headers }, context) => {
  const { routerKind, routePath, routeType } = context
  seen.push(`${String(error)} ${method} ${path} ${String(headers['x-probe'])} ${routerKind} ${routePath} ${routeType}`)
}
