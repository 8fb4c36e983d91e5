// Sends purges to inner ports, for the command.

const TIMEOUT_MS = 10_000

/** What the inner port made of one purge. */
export type PurgeResult = { generation: number } | { fault: string }

export interface PurgeSender {
  innerUrl: URL
  token: string
}

/** Never rejects. */
export async function sendPurge({ innerUrl, token }: PurgeSender, body: object): Promise<PurgeResult> {
  try {
    const response = await fetch(new URL('/internal/purge', innerUrl), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = await response.text()
    // The form of every 200 of both inner ports.
    if (response.status === 200) return JSON.parse(text) as { generation: number }
    return { fault: `${response.status} ${messageOf(text)}` }
  } catch (error) {
    // No connection, or no response in time: `fetch` puts the reason into `cause`.
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return { fault: `${innerUrl.host}: ${cause instanceof Error ? cause.message : String(cause)}` }
  }
}

/** The text of an error response (E2), else the whole body. */
function messageOf(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: { title?: string; message?: string } }
    return error?.message ?? error?.title ?? text
  } catch {
    // The response of another program.
    return text
  }
}
