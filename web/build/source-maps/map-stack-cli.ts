// `portico map-stack`: the author's files and lines in the place of those of minified scripts, in what is piped through it.

import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { errorCode } from '../build-error.ts'
import { enterAppDir, runCommand, takeNoArguments } from '../command-line.ts'
import { createTextMapper } from './map-text.ts'

const HELP = `Passes a text on with the author's files and lines in place of positions in minified scripts.

  portico map-stack < stack.txt                     for the working directory
  docker compose logs actions | portico map-stack   the log of containers, as it is written
  APP_DIR=../mysite portico map-stack               for another folder; a pasted text ends with Ctrl+D

The source maps are in .portico/source-maps of the app folder, where a build writes them.

Options
  --help   shows this
`
/** Names in the message about scripts without a map. */
const MOST_NAMES = 5

takeNoArguments('map-stack', HELP)
await runCommand(async () => {
  const { map, unknown } = createTextMapper(enterAppDir())
  const { stdin, stdout } = process
  // Who reads may have what it wanted, as `head` does.
  stdout.on('error', (error) => process.exit(errorCode(error) === 'EPIPE' ? 0 : 1))
  for await (const line of createInterface({ input: stdin }))
    if (!stdout.write(`${map(line)}\n`)) await once(stdout, 'drain')
  if (unknown.size === 0) return
  const names = [...unknown].slice(0, MOST_NAMES).join(', ')
  const more = unknown.size > MOST_NAMES ? ` and ${unknown.size - MOST_NAMES} more` : ''
  process.stderr.write(
    `portico map-stack: no build here has a source map of ${names}${more}; copy the maps of the build that was running\n`,
  )
})
