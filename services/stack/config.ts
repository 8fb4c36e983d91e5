// The settings that the stack itself reads. plan/plan.ts passes the other variables on, to the services that they are for.

import { type Environment, LOG_LEVELS, readConfig, readDrain, readFolders } from '@portico/shared/kit/config/config.ts'
import type { SettingName } from '@portico/shared/kit/config/settings.ts'

/** Settings that the stack chooses for its services, whatever the environment has. */
export const CHOSEN = [
  'SITE_PORT',
  'INNER_PORT',
  'RENDERER_URL',
  'IMAGES_URL',
  'ACTIONS_URL',
  'SITE_URL',
] as const satisfies readonly SettingName[]

/** Reads the stack's settings. Throws ConfigError with all faults. */
export function readStackConfig(environment: Environment, warn: (message: string) => void) {
  for (const name of CHOSEN)
    if (environment[name])
      warn(`${name} has no effect: portico start and portico dev choose the addresses between services`)
  return readConfig(
    environment,
    (read) => {
      return {
        host: read.text('HOST'),
        port: read.port('PORT'),
        ...readFolders(read),
        stackToken: read.optionalText('STACK_TOKEN', 32),
        actionKeys: read.optionalText('ACTION_KEYS', 32),
        logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS),
        // No balancer is in front of one machine's gateway, so that no delay is needed.
        ...readDrain(read, 0),
        inherited: environment,
      }
    },
    warn,
  )
}

export type StackConfig = ReturnType<typeof readStackConfig>

/** Whether the log has colours: on a terminal without NO_COLOR (no-color.org). */
export function wantsColour(environment: Environment, isTerminal: boolean): boolean {
  return isTerminal && !environment.NO_COLOR
}

/** Whether the stack is a script of a package.json: npm sets the name of the script. */
export function isRunByNpm(environment: Environment): boolean {
  return Boolean(environment.npm_lifecycle_event)
}
