// What `npm run build` and `npm run types` take on their command line: nothing. APP_DIR names the folder.

/** Shows `help` and ends the process when asked to; ends it with 2, and says why, when anything else is written. */
export function takeNoArguments(command: string, help: string): void {
  const given = process.argv.slice(2)
  if (given.length === 0) return
  if (given.includes('--help') || given.includes('-h')) {
    process.stdout.write(help)
    process.exit(0)
  }
  process.stderr.write(
    `npm run ${command} takes no "${given.join(' ')}"; APP_DIR names the folder: APP_DIR=../mysite npm run ${command}\n`,
  )
  process.exit(2)
}
