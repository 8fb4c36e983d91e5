// `portico containers`: the files from which a site's containers are built, and inside that build the contents of each
// container (K4).

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { BuildError, errorCode } from '../build-error.ts'
import { readAppDir, runCommand } from '../command-line.ts'
import { FRAMEWORK } from '../framework-files.ts'
import { collectServices } from './containers.ts'
import { SBOM_FILE } from './sbom.ts'
import { findFaults, readLabels, writeSiteFiles } from './site-files.ts'

const HELP = `Writes Dockerfile, docker-compose.yml, .dockerignore and docker-bake.hcl into the site: docker compose up --build starts its containers.

  portico containers                  writes those that the site lacks, and names those that differ from this version's
  portico containers --force          overwrites those that differ
  portico containers --check          compares only
  portico containers --labels         prints the labels of the images, as build arguments: source, version and licence of
                                      package.json, commit, and time (SOURCE_DATE_EPOCH if set)
  portico containers --output DIR     collects what the container of each service holds, from the build of the site:
                                      DIR/gateway, DIR/renderer, DIR/images, DIR/actions (a step of the Dockerfile), with
                                      the packages of the lock file in sbom.cdx.json (CycloneDX)

Options
  --help   shows this

Exit codes: 0; 1 when a file differs or is missing (--check), or nothing could be collected; 2 for wrong options

APP_DIR names another folder than the working directory.
`
const USAGE_ERROR_CODE = 2

const options = readOptions()
if (options?.help) process.stdout.write(HELP)
else if (options) await runCommand(() => run(options))

interface Options {
  force: boolean
  check: boolean
  labels: boolean
  output?: string | undefined
  help: boolean
}

/** Undefined, with a message and the exit code, for options that cannot be used. */
function readOptions(): Options | undefined {
  const flag = { type: 'boolean', default: false } as const
  try {
    const { values } = parseArgs({
      options: { force: flag, check: flag, labels: flag, output: { type: 'string' }, help: { ...flag, short: 'h' } },
    })
    const given = (['force', 'check', 'labels', 'output'] as const).filter((name) => values[name])
    if (given.length <= 1 && values.output !== '') return values
    refuse(
      values.output === ''
        ? '--output="": must name a folder'
        : `--${given.join(' --')}: cannot be combined; give one of them`,
    )
  } catch (error) {
    if (!(error instanceof Error) || !errorCode(error)?.startsWith('ERR_PARSE_ARGS')) throw error
    refuse(error.message)
  }
  return undefined
}

async function run({ force, check, labels, output }: Options): Promise<void> {
  const appDir = resolve(readAppDir())
  if (output !== undefined) {
    const { bytes, missing, withoutSbom } = await collectServices({
      appDir,
      output: resolve(output),
      framework: FRAMEWORK,
    })
    for (const [service, size] of Object.entries(bytes))
      process.stdout.write(`${join(output, service)}  ${(size / 1_000_000).toFixed(1)} MB\n`)
    for (const name of missing)
      process.stderr.write(`serverExternalPackages names "${name}", which is not installed: left out\n`)
    if (withoutSbom !== undefined) process.stderr.write(`${SBOM_FILE} is not written: ${withoutSbom}\n`)
    return
  }
  if (!existsSync(join(appDir, 'package.json')))
    throw new BuildError(`APP_DIR=${appDir}: has no package.json; run the command in the folder of a site`)
  if (labels) {
    for (const line of await readLabels(appDir, readTime())) process.stdout.write(`${line}\n`)
    return
  }
  if (check) {
    const faults = await findFaults(appDir)
    for (const line of faults) process.stderr.write(`${line}\n`)
    if (faults.length > 0) process.exitCode = 1
    else process.stdout.write('The files are those of this version of Portico.\n')
    return
  }
  for (const line of await writeSiteFiles(appDir, { force })) process.stdout.write(`${line}\n`)
}

function readTime(): Date {
  const epoch = process.env.SOURCE_DATE_EPOCH
  if (epoch === undefined || epoch === '') return new Date()
  if (!/^\d{1,11}$/.test(epoch)) throw new BuildError(`SOURCE_DATE_EPOCH=${epoch}: must be a number of seconds`)
  return new Date(Number(epoch) * 1000)
}

function refuse(message: string): void {
  process.stderr.write(`portico containers: ${message}; see portico containers --help\n`)
  process.exitCode = USAGE_ERROR_CODE
}
