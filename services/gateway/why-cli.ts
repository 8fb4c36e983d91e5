// `portico why`: why the gateway would respond to a request as it would, and what happened to one that has an id in the logs
// (O9, G7).

import { createReadStream } from 'node:fs'
import { styleText } from 'node:util'
import { type Command, runCommand } from '@portico/shared/kit/config/run-command.ts'
import {
  type CollectedLines,
  collectLines,
  type LogSource,
  type Paint,
  readCommandToken,
  readWhyOptions,
  renderExplanation,
  renderTimeline,
  sendQuestion,
} from './command/command.ts'
import { readWhyConfig } from './config.ts'

const HELP = `Explains a response: what responds, by which steps, from which cache, and who may store it.

  portico why /places/skarnvik
  portico why https://www.example.org/shop --cookie 'cart=3' --header 'accept-language: fr'
  npm run why -- /about                             in Portico's repository
  node services/gateway/why-cli.js /about           in a gateway's container

A request that a client could send. The gateway explains it without a response: nothing is rendered, counted or kept.
The host of a path is that of the first of PUBLIC_ORIGINS, or localhost.
  --method   its method (default: GET)
  --cookie   its cookies, as 'a=1; b=2'
  --header   a header, as 'accept-language: fr'; may be given several times
  --client   the address of the client (default: 127.0.0.1)
  --run      runs middleware, whose code may have effects; without it the request passes middleware unchanged

A request that has happened, from the JSON lines of the services: by the 16 digits of x-request-id, the 32 of a trace,
or the 10 that the screen of an error shows.
  docker compose logs --no-log-prefix | portico why 3f2a91c07be4d518
  portico why 3f2a91c07be4d518 --logs portico.log
  --logs     a file of log lines, instead of those on standard input

  --json     prints the explanation, or the lines, as JSON
  --help     shows this text

Exit codes: 0 explained, 1 no gateway responded or no line has the id, 2 the options or settings are wrong

Environment, where no stack of portico start runs on this machine with the same APP_DIR or DATA_DIR
  STACK_TOKEN  the stack's token (default: the one in the state store)
  INNER_PORT   inner port of the gateway on this machine (default: 9090)
`

const HOW_TO_GIVE_LOGS =
  'give a file with --logs, or pipe them in, as in docker compose logs --no-log-prefix | portico why <id>'

const paint: Paint = (style, text) => styleText(style, text, { stream: process.stdout })

await runCommand('why', main)

async function main({ refuse, refuseOptions }: Command): Promise<number> {
  const plan = readWhyOptions(process.argv.slice(2))
  if (plan.kind === 'help') {
    process.stdout.write(HELP)
    return 0
  }
  if (plan.kind === 'fault') return refuseOptions(plan.fault)
  if (plan.kind === 'logs') return explainLogs(plan, { refuse, refuseOptions })
  const config = readWhyConfig()
  const found = await readCommandToken(config)
  if ('fault' in found) return refuse(found.fault)
  const question = { ...plan.question, headers: { host: config.publicHost, ...plan.question.headers } }
  const result = await sendQuestion({ innerUrl: config.gatewayInnerUrl, token: found.token }, question)
  if ('fault' in result) return refuse(result.fault, 1)
  process.stdout.write(plan.asJson ? asText(result.explanation) : renderExplanation(result.explanation, paint))
  return 0
}

async function explainLogs(
  { name, logs, asJson }: { name: string; logs: string | undefined; asJson: boolean },
  { refuse, refuseOptions }: Command,
): Promise<number> {
  if (logs === undefined && process.stdin.isTTY)
    return refuseOptions(`${name} is looked up in logs: ${HOW_TO_GIVE_LOGS}`)
  let collected: CollectedLines
  try {
    collected = await collectLines(logs === undefined ? ofStandardInput() : ofFile(logs), name)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return refuse(logs === undefined ? `standard input: ${reason}` : `--logs=${JSON.stringify(logs)}: ${reason}`)
  }
  if (collected.seen.lines === 0) return refuseOptions(`the logs are empty: ${HOW_TO_GIVE_LOGS}`)
  if (collected.lines.length === 0) return refuse(missing(name, collected.seen), 1)
  const { lines } = collected
  process.stdout.write(
    asJson
      ? asText(lines.map(({ source, fields }) => ({ source, ...fields })))
      : renderTimeline(name, collected, paint),
  )
  return 0
}

function ofStandardInput(): LogSource {
  return { isRepeatable: false, open: () => process.stdin.setEncoding('utf8') }
}

function ofFile(path: string): LogSource {
  return { isRepeatable: true, open: () => createReadStream(path, { encoding: 'utf8', highWaterMark: 1024 * 1024 }) }
}

function missing(name: string, { lines, json, notLogged, from, to }: CollectedLines['seen']): string {
  if (json === 0) return `none of the ${lines} lines is JSON: portico start writes JSON lines with --json`
  const time = from === undefined ? '' : `, from ${from} to ${to}`
  const others = notLogged === 0 ? '' : `; these logs count ${notLogged} such requests`
  return `${name} is in none of the ${json} log lines${time}. The gateway writes the line of a request at the end of its response, and leaves lines of one client out beyond ACCESS_LINES_PER_CLIENT in a second${others}.`
}

function asText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}
