// Purges images by hand or from a script (I9): sends the purge to one replica, which notifies all others.

import { parseArgs } from 'node:util'
import { ConfigError } from '@portico/shared/kit/config/config.ts'
import { readPurgeConfig } from './config.ts'

const HELP = `Removes images from the cache; the next request makes each image again from its source.

  node services/images/purge-cli.ts --source /photos/fjord.jpg
  node services/images/purge-cli.ts --prefix https://pictures.example.org/2026/ --tag autumn

Options; each may be given several times
  --source   a path of the site or an absolute URL, as in the address of the image
  --prefix   all sources that begin with this text
  --tag      all sources with this tag in their Cache-Tag header
  --help     shows this text

Environment
  STACK_TOKEN        the stack's token; without the token purging is off
  IMAGES_INNER_URL   inner port of a replica (default: INNER_PORT of this machine)
`
const TIMEOUT_MS = 10_000

try {
  process.exitCode = await main()
} catch (error) {
  // Bad options and bad settings: the message says what is wrong, and a stack would hide the message.
  const isBadOption = error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  if (!isBadOption && !(error instanceof ConfigError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}

/** Returns 0 when every purge succeeded, 1 when a purge failed, 2 for bad options. */
async function main(): Promise<number> {
  const text = { type: 'string', multiple: true, default: [] as string[] } as const
  const { values } = parseArgs({
    options: { source: text, prefix: text, tag: text, help: { type: 'boolean', default: false } },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const targets = (['source', 'prefix', 'tag'] as const).flatMap((kind) =>
    values[kind].map((value) => ({ kind, value })),
  )
  if (targets.length === 0) {
    process.stderr.write('nothing to purge: give --source, --prefix or --tag (see --help)\n')
    return 2
  }
  const config = readPurgeConfig()
  let code = 0
  for (const { kind, value } of targets) {
    const result = await send(config.innerUrl, config.stackToken, { [kind]: value })
    if ('fault' in result) {
      process.stderr.write(`${kind} ${value}: ${result.fault}\n`)
      code = 1
    } else process.stdout.write(`${kind} ${value}: purged, generation ${result.generation}\n`)
  }
  return code
}

async function send(
  innerUrl: URL,
  token: string,
  body: Record<string, string>,
): Promise<{ generation: number } | { fault: string }> {
  try {
    const response = await fetch(new URL('/internal/purge', innerUrl), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = await response.text()
    // The form of every 200 of the inner port (cache/purge-route.ts).
    if (response.status === 200) return JSON.parse(text) as { generation: number }
    return { fault: `${response.status} ${text}` }
  } catch (error) {
    // No connection, or no response in time: `fetch` puts the reason into `cause`.
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return { fault: `${innerUrl.host}: ${cause instanceof Error ? cause.message : String(cause)}` }
  }
}
