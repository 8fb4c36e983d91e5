// `npm run build`: builds the app folder in APP_DIR.

import { enterAppDir, runCommand, takeNoArguments } from './command-line.ts'
import { environmentLine, provideEnvFiles } from './env-files.ts'

const HELP = `Builds an app folder into its dist/.

  portico build                      builds the working directory; in Portico's repository: npm run build
  APP_DIR=../mysite portico build    builds another folder

Options
  --strict-prerender   fails if a page of prerender: 'build' cannot be rendered during the build
  --help               shows this
`

const flags = takeNoArguments('build', HELP, ['--strict-prerender'])
await runCommand(build, '\nThe build failed.\n')

async function build(): Promise<void> {
  const startedMs = performance.now()
  const print = (text: string) => process.stdout.write(`${text}\n`)
  const appDir = enterAppDir()
  const envFiles = provideEnvFiles(appDir)
  const progress = { step: print, line: (text: string) => print(`  ${text}`) }
  const strictPrerender = flags.has('--strict-prerender')
  // Its native modules begin threads: a process that prints its help and exits at once has been seen to hang in them.
  const { buildApp } = await import('./build-app.ts')
  const { sizeTable } = await import('./manifest/manifest.ts')
  const { manifest, inlined } = await buildApp(appDir, progress, { strictPrerender })
  print(environmentLine(envFiles, manifest, inlined))
  print('')
  for (const line of sizeTable(manifest)) print(line)
  print(`\nBuild ${manifest.buildId} in ${((performance.now() - startedMs) / 1000).toFixed(1)} s`)
}
