// Types of commands.mjs, which is plain JavaScript because it runs before the packages are installed.

export interface Command {
  /** Path of the script in the repository or the package, without its extension. */
  file: string
  /** Arguments before those of the user. */
  args?: readonly string[]
  /** Runs until a signal. */
  isServer?: boolean
  help: string
}
export const COMMANDS: Readonly<Record<string, Command>>
export function commandList(): string
