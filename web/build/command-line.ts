// The command line of `npm run build` and `npm run types`, which have no arguments: APP_DIR names the app folder.

/** Prints `help` and exits with 0 for --help; prints an error and exits with 2 for any other argument. */
export function takeNoArguments(command: string, help: string): void {
  const given = process.argv.slice(2)
  if (given.length === 0) return
  if (given.includes('--help') || given.includes('-h')) {
    process.stdout.write(help)
    process.exit(0)
  }
  process.stderr.write(
    `npm run ${command}: unexpected argument "${given.join(' ')}"; APP_DIR names the folder: APP_DIR=../mysite npm run ${command}\n`,
  )
  process.exit(2)
}
