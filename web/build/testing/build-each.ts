// Runs the command `portico build` for app folders one after the other in one process, which loads its modules once.
// After the output of each folder follows a line with a null byte and the exit code.

const COMMAND = new URL('../cli.ts', import.meta.url).href
const start = process.cwd()
// Two pipes would have no order.
process.stdout.write = process.stderr.write.bind(process.stderr)
const folders = process.argv.splice(2)

for (const [at, folder] of folders.entries()) {
  process.chdir(start)
  process.env.APP_DIR = folder
  // The module of the command runs when it is imported: each address is a module of its own.
  await import(`${COMMAND}?${at}`)
  process.stderr.write(`\n\0${process.exitCode ?? 0}\n`)
  process.exitCode = 0
}
