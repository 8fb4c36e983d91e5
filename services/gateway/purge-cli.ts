// `portico purge`: purges pages, data and images by hand or from a script (C6, I9). One gateway and one images replica
// of each URL receive the purges, and notify all others.

import { parseArgs } from 'node:util'
import { ConfigError } from '@portico/shared/kit/config/config.ts'
import { loadSecret } from '@portico/shared/kit/config/secrets.ts'
import { type PurgeConfig, readPurgeConfig } from './config.ts'
import { type PurgeResult, sendPurge, sendPurges } from './purge/send-purge.ts'

const HELP = `Purges pages, data and images: the next request makes each again from its source.

  portico purge --path /places/skarnvik --page-tag prices
  portico purge --everything
  portico purge --source /photos/fjord.jpg --prefix https://pictures.example.org/2026/ --tag autumn
  npm run purge -- --path /about                        in Portico's repository
  node services/gateway/purge-cli.js --path /about      in a gateway's container

Pages, and data of cached(): as revalidatePath and revalidateTag; all but the last may be given several times
  --path        a page by its path: without basePath and query, and behind rewrites
  --page-tag    all pages and data with this tag
  --everything  all pages and data, no images

Images; each may be given several times
  --source      a path of the site or an absolute URL, as in the address of the image
  --prefix      all sources that begin with this text
  --tag         all sources with this tag in their Cache-Tag header

  --help        shows this text

Exit codes: 0 all were purged, 1 a purge failed, 2 the options or settings are wrong

Environment, where no stack of portico start runs on this machine with the same APP_DIR or DATA_DIR
  STACK_TOKEN        the stack's token (default: the one in the state store; images need the setting)
  GATEWAY_INNER_URL  inner port of a gateway (default: INNER_PORT of this machine)
  IMAGES_INNER_URL   inner ports of images, each of which receives the purge (default: the hosts of IMAGES_URL at
                     INNER_PORT)
`
const SECRET_WAIT_MS = 5000
const IMAGE_KINDS = ['source', 'prefix', 'tag'] as const

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
  const flag = { type: 'boolean', default: false } as const
  const { values } = parseArgs({
    options: {
      path: text,
      'page-tag': text,
      everything: flag,
      ...{ source: text, prefix: text, tag: text },
      help: flag,
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const { path: paths, 'page-tag': tags, everything } = values
  const names = [...paths.map((path) => `path ${path}`), ...tags.map((tag) => `page-tag ${tag}`)]
  if (everything) names.push('everything')
  const images = IMAGE_KINDS.flatMap((kind) => values[kind].map((value) => ({ kind, value })))
  if (names.length === 0 && images.length === 0) {
    process.stderr.write(
      'nothing to purge: give --path, --page-tag, --everything, --source, --prefix or --tag (see --help)\n',
    )
    return 2
  }
  const config = readPurgeConfig()
  const token = await readToken(config)
  if (token === undefined) return 2
  const results: boolean[] = []
  if (names.length > 0) {
    // One change: no client sees one of the pages purged and another one not.
    const result = await sendPurge({ innerUrl: config.gatewayInnerUrl, token }, { paths, tags, everything })
    for (const name of names) results.push(report(name, result))
  }
  for (const { kind, value } of images)
    results.push(
      report(`${kind} ${value}`, await sendPurges({ innerUrls: config.imagesInnerUrls, token }, { [kind]: value })),
    )
  return results.every(Boolean) ? 0 : 1
}

/** Undefined, with a line for the operator, where there is none. */
async function readToken({ stackToken, store }: PurgeConfig): Promise<string | undefined> {
  try {
    return stackToken ?? (await loadSecret('stack-token', { ...store, waitMs: SECRET_WAIT_MS, mustExist: true }))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    process.stderr.write(
      `STACK_TOKEN is not set: must be the token of the stack, or be in its state store: ${reason}\n`,
    )
    return undefined
  }
}

/** Writes one line; whether the purge succeeded. */
function report(name: string, result: PurgeResult): boolean {
  if ('fault' in result) {
    process.stderr.write(`${name}: ${result.fault}\n`)
    return false
  }
  const { generation } = result
  const how =
    generation === 0 ? 'without the state store, which counts the purge when it is back' : `generation ${generation}`
  process.stdout.write(`${name}: purged, ${how}\n`)
  return true
}
