// `portico secrets rotate`: makes the next secrets of a stack, the one way to new ones while the stack runs (O10).

import { parseArgs } from 'node:util'
import { type Command, runCommand } from '@portico/shared/kit/config/run-command.ts'
import { readSecretsConfig, type SecretsConfig } from './config.ts'

const HELP = `Makes the next secrets of a stack that keeps them in its state Redis. No request and no session fails.

  portico secrets rotate
  node services/actions/secrets-cli.js rotate          in a container of the actions service

Rotates the token of control calls (stack-token) and the key of forms and sessions (action-key). Each service verifies with
the new one first, and signs with it after 3 s. The one before verifies and opens for 24 hours: a session that is used in
that time continues. Settings are not rotated: set a new STACK_TOKEN, and a new key before the present ones of ACTION_KEYS.

Options
  --help   shows this

Exit codes: 0 all were rotated, 1 the state store failed or has no secret, 2 the options or settings are wrong

Environment
  STATE_REDIS_URL             the state Redis, with the user actions or renderer
  STATE_REDIS_PASSWORD_FILE   the file with the password of that user
`

await runCommand('secrets', main)

async function main({ refuse, refuseOptions }: Command): Promise<number> {
  const { values, positionals } = parseArgs({
    args: process.argv.slice(2),
    options: { help: { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  if (positionals.length !== 1 || positionals[0] !== 'rotate')
    return refuseOptions(`"${positionals.join(' ')}" is not a command: must be rotate`)
  const config = readSecretsConfig()
  const { stateRedisUrl, dataDir, hasLocalStack, names } = config
  if (names.length === 0) return refuse('STACK_TOKEN and ACTION_KEYS are set: nothing is stored that could be rotated')
  if (hasLocalStack || !stateRedisUrl)
    return refuse(
      `${hasLocalStack ? 'portico start keeps its secrets in files' : 'STATE_REDIS_URL is not set: only secrets in a state Redis are rotated'}. Stop the stack, delete ${names.map((name) => `${name}.secret`).join(' and ')} in ${dataDir}, and start it again: forms and sessions of before are then rejected`,
    )
  return rotate(names, stateRedisUrl)
}

/** Returns 0 when all were rotated, else 1. */
async function rotate(
  names: SecretsConfig['names'],
  url: NonNullable<SecretsConfig['stateRedisUrl']>,
): Promise<number> {
  const { rotateSecret } = await import('@portico/shared/kit/secrets/operate-secrets.ts')
  const results = await Promise.allSettled(names.map((name) => rotateSecret(name, url)))
  for (const [at, result] of results.entries()) {
    if (result.status === 'fulfilled')
      process.stdout.write(
        `${names[at]}: rotation ${result.value} signs now; the one before verifies and opens for 24 hours\n`,
      )
    else process.stderr.write(`portico secrets: ${(result.reason as Error).message}\n`)
  }
  return results.every(({ status }) => status === 'fulfilled') ? 0 : 1
}
