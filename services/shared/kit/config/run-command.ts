// The frame of a command for operators: what ends it with a message instead of a stack.

import { ConfigError } from './config.ts'

export interface Command {
  /** Writes the fault to standard error. Returns the exit code: 2 for wrong options or settings. */
  refuse(fault: string, exitCode?: 1 | 2): number
  /** As `refuse`, with the place of the help. */
  refuseOptions(fault?: string): number
}

/**
 * Sets the exit code of this process to the result of `main`. Bad options (node:util parseArgs) and bad settings end the command
 * with 2 and the message that says what is wrong.
 *
 * @example await runCommand('purge', async ({ refuseOptions }) => (plan ? run(plan) : refuseOptions('nothing is named')))
 */
export async function runCommand(name: string, main: (command: Command) => Promise<number>): Promise<void> {
  const refuse: Command['refuse'] = (fault, exitCode = 2) => {
    process.stderr.write(`portico ${name}: ${fault}\n`)
    return exitCode
  }
  const refuseOptions: Command['refuseOptions'] = (fault = '') => refuse(`${fault}; see portico ${name} --help`)
  try {
    process.exitCode = await main({ refuse, refuseOptions })
  } catch (error) {
    const isBadOption = error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
    if (!isBadOption && !(error instanceof ConfigError)) throw error
    process.exitCode = isBadOption ? refuseOptions(error.message.split('. ')[0]) : refuse(error.message)
  }
}
