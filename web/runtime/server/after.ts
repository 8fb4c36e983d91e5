// after() of portico/server: work behind the response.

import { headersOf } from './cookies.ts'
import { currentContext, runWithContext } from './request-context.ts'

/**
 * Runs a function after the response was sent: a log entry, a message, a count. The client does not wait for it, and it
 * runs whatever the response is. Of `getStaticProps` it runs after the page was rendered for all clients. The function has
 * 10 s, one process runs 100 such functions at most, and one request adds 20 at most; a function above a limit is not
 * run, and the log names the page, action or handler. The function may read `cookies()` and `headers()` of the request and
 * call `revalidatePath` and `revalidateTag` where the code around it may; it cannot set cookies any more. When the process
 * stops, it waits for these functions within its deadline: work that must not be lost belongs in a queue of the site.
 * Throws in `cached` functions and outside of a request.
 *
 * @example
 * ```ts
 * // actions/order.ts
 * 'use server'
 * import { after, fetch } from 'portico/server'
 *
 * export async function order(form: FormData) {
 *   const number = crypto.randomUUID()
 *   after(async () => {
 *     await fetch('https://mail.example/send', { method: 'POST', body: `Order ${number} of ${form.get('name')}` })
 *   })
 *   return { number }
 * }
 * ```
 */
export function after(task: () => unknown): void {
  const context = currentContext('after()')
  if (typeof task !== 'function') throw new Error(`after(): the argument is ${typeof task}; it must be a function`)
  if (!context.after) throw new Error(`after() was called in ${context.name}, which has no response of its own.`)
  // Frozen: a cookie that no response can carry is an error.
  const setCookies: string[] = []
  Object.freeze(setCookies)
  context.after(context.name, (own) => {
    const { setHeader: _head, ...kept } = context
    return runWithContext({ ...kept, ...own, headers: headersOf(context), setCookies }, task)
  })
}
