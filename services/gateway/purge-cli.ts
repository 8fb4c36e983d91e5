// `portico purge`: purges pages, data and images by hand or from a script (C6, I9). One gateway and one images replica
// of each URL receive the purges, and notify all others.

import { type Command, runCommand } from '@portico/shared/kit/config/run-command.ts'
import { type PurgeResult, purgeImages, purgePages, readCommandToken, readPurgeOptions } from './command/command.ts'
import { readPurgeConfig } from './config.ts'

const HELP = `Purges pages, data and images: the next request makes each again from its source.

  portico purge --path /places/skarnvik --page-tag prices
  portico purge --source /photos/fjord.jpg --prefix https://pictures.example.org/2026/ --tag autumn
  portico purge --everything
  npm run purge -- --path /about                        in Portico's repository
  node services/gateway/purge-cli.js --path /about      in a gateway's container

Pages, and data of cached(): as revalidatePath and revalidateTag
  --path        a page by its path: without basePath and query, and behind rewrites
  --page-tag    all pages and data with this tag
  --pages       all pages and data

Images
  --source      a path of the site or an absolute URL, as in the address of the image
  --prefix      all sources that begin with this text
  --tag         all sources with this tag in their Cache-Tag header
  --images      all images

  --everything  all pages, data and images
  --help        shows this text

Options with a value may be given several times. A CDN that CDN_PURGE_URL names is purged with the pages.
Exit codes: 0 all were purged, 1 a purge failed, 2 the options or settings are wrong

Environment, where no stack of portico start runs on this machine with the same APP_DIR or DATA_DIR
  STACK_TOKEN  the stack's token (default: the one in the state store; images need the setting)
  INNER_PORT   inner port of the gateway on this machine, and of the images service (default: 9090)
  IMAGES_URL   hosts of the images service, each of which receives the purge (default: images)
`

await runCommand('purge', main)

/** Returns 0 when every purge succeeded, 1 when a purge failed, 2 for bad options. */
async function main({ refuse, refuseOptions }: Command): Promise<number> {
  const plan = readPurgeOptions(process.argv.slice(2))
  if ('help' in plan) {
    process.stdout.write(HELP)
    return 0
  }
  if ('fault' in plan) return refuseOptions(plan.fault)
  const config = readPurgeConfig()
  const found = await readCommandToken(config)
  if ('fault' in found) return refuse(found.fault)
  const { token } = found
  const results: boolean[] = []
  if (plan.pages) {
    const result = await purgePages({ innerUrl: config.gatewayInnerUrl, token }, plan.pages.body)
    for (const name of plan.pages.names) results.push(report(name, result))
  }
  for (const { name, body } of plan.images)
    results.push(report(name, await purgeImages({ innerUrls: config.imagesInnerUrls, token }, body)))
  return results.every(Boolean) ? 0 : 1
}

/** Writes one line; whether the purge succeeded. */
function report(name: string, result: PurgeResult): boolean {
  if ('fault' in result) {
    process.stderr.write(`${name}: ${result.fault}\n`)
    return false
  }
  const { generation, where } = result
  const how =
    generation === 0 ? 'without the state store, which counts the purge when it is back' : `generation ${generation}`
  process.stdout.write(`${name}: purged, ${how}${where && `: ${where}`}\n`)
  return true
}
