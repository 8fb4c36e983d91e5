// Purges images by hand or from a script (I9): tells one replica, which tells all others.

import { parseArgs } from 'node:util'
import { ConfigError } from '../shared/node/config.ts'
import { readPurgeConfig } from './config.ts'

const HELP = `Forgets cached images; they are made anew from their sources when they are next asked for.

  node services/images/purge-cli.ts --source /photos/fjord.jpg
  node services/images/purge-cli.ts --prefix https://pictures.example.org/2026/ --tag autumn

Options, each as often as needed
  --source   a path of the site or an absolute URL, as in the address of the image
  --prefix   all sources that begin so
  --tag      all sources that named this tag in their Cache-Tag header
  --help     shows this

Environment
  STACK_TOKEN        the stack's token; without it purging is off
  IMAGES_INNER_URL   inner port of a replica (this machine's INNER_PORT if not set)
`
const TIMEOUT_MS = 10_000

try {
  process.exitCode = await main()
} catch (error) {
  // Bad options and bad settings: what is wrong stands in the message, a stack would hide it.
  const isTyping = error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  if (!isTyping && !(error instanceof ConfigError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}

/** 0 when all was purged, 1 when something was not, 2 when the command made no sense. */
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
    process.stderr.write('nothing to purge: give --source, --prefix or --tag (--help tells more)\n')
    return 2
  }
  const config = readPurgeConfig()
  let code = 0
  for (const { kind, value } of targets) {
    const answer = await send(config.innerUrl, config.stackToken, { [kind]: value })
    if ('fault' in answer) {
      process.stderr.write(`${kind} ${value}: ${answer.fault}\n`)
      code = 1
    } else process.stdout.write(`${kind} ${value}: purged, generation ${answer.generation}\n`)
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
    // The inner port answers 200 with exactly this.
    if (response.status === 200) return JSON.parse(text) as { generation: number }
    return { fault: `${response.status} ${text}` }
  } catch (error) {
    // Nobody there or no answer in time: `fetch` keeps the reason one level down.
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return { fault: `${innerUrl.host}: ${cause instanceof Error ? cause.message : String(cause)}` }
  }
}
